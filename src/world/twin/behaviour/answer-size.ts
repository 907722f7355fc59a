/** The size of a response body in bytes. */
import type { OutgoingAnswer } from '#world/twin/ports'

export const answerSize = ({ raw, body }: OutgoingAnswer): number => {
  if (raw !== undefined) return raw.length
  return Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body ?? null))
}
