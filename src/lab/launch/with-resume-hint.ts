/** Tells the user how to resume a run after a file could not be written. */
import { RemediumError } from '#spec'

/** The code that writes files does not have the command line of the run, so the hint is added here. */
export const withResumeHint = (error: unknown, resumeHint: string): unknown =>
  error instanceof RemediumError && error.code === 'record-lost'
    ? new RemediumError(error.code, error.message, {
        hint: `Finished episodes are kept. Free some disk space. ${resumeHint}`,
        blame: error.blame,
        cause: error,
      })
    : error
