/** Converts a failure to listen on a port to a RemediumError. */
import { RemediumError } from '#spec'

const PORT_ERRORS = new Set(['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'])

/** Returns the error to throw; errors that the port did not cause are returned unchanged. */
export const toPortError = (cause: unknown, port: number): unknown =>
  PORT_ERRORS.has((cause as NodeJS.ErrnoException).code ?? '')
    ? new RemediumError('bad-argument', `The cluster cannot listen on port ${port}.`, {
        hint: 'Use another port, or 0 for any free port.',
        cause,
      })
    : cause
