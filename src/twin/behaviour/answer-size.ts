/** How long the body of an answer is, in bytes. */
import type { OutgoingAnswer } from '../ports/index.ts'

export const answerSize = ({ raw, body }: OutgoingAnswer): number => {
  if (raw !== undefined) return raw.length
  return Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body ?? null))
}
