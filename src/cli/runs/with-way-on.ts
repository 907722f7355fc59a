/** How to go on with a run whose figures or records could not be written. */
import { RemediumError } from '../../spec/index.ts'

/** Who finds that something cannot be written does not know how the run was begun: the same command may begin another. */
export const withWayOn = (error: unknown, goOn: string): unknown =>
  error instanceof RemediumError && error.code === 'record-lost'
    ? new RemediumError(error.code, error.message, {
        hint: `What has ended is kept; make room. ${goOn}`,
        blame: error.blame,
        cause: error,
      })
    : error
