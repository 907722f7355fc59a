/** Says which port cannot be had, in place of the system's own words for it. */
import { RemediumError } from '../../spec/index.ts'

const PORT_FAULTS = new Set(['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'])

/** What to throw for an error of listening: anything that the port is not to blame for stays as it is. */
export const toPortError = (cause: unknown, port: number): unknown =>
  PORT_FAULTS.has((cause as NodeJS.ErrnoException).code ?? '')
    ? new RemediumError('bad-argument', `The cluster cannot listen on port ${port}.`, {
        hint: 'Name another port, or 0 for any free one.',
        cause,
      })
    : cause
