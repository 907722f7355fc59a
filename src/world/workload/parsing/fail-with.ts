/** Throws one error that lists the mistakes in a file, one per line. */
import { RemediumError } from '#spec'

const MAX_REPORTED = 20

export const failWith = (mistakes: readonly string[]): never => {
  const more = mistakes.length - MAX_REPORTED
  const reported = mistakes.slice(0, MAX_REPORTED).join('\n')
  throw new RemediumError('bad-file', more > 0 ? `${reported}\n... and ${more} more` : reported)
}
