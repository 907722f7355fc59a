/** The failure of a call whose connection ended before the answer. */
import { CallFailure, toCallFailure } from '#world/twin/ports'

/** The message of Node.js for a connection that the peer has reset, not closed. */
const RESET_MESSAGE = 'read ECONNRESET'

/** `closedText` is the client's message for a connection that the server closed. */
export const toConnectionFailure = (error: unknown, closedText: string): CallFailure => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ECONNRESET' && message !== RESET_MESSAGE) return new CallFailure('reset', closedText)
  return toCallFailure(error)
}
