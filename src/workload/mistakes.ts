/** How mistakes in what people wrote are thrown: all of them at once, a line each. */
import { RemediumError } from '../spec/index.ts'

const MOST_TOLD = 20

export const failWith = (mistakes: readonly string[]): never => {
  const more = mistakes.length - MOST_TOLD
  const told = mistakes.slice(0, MOST_TOLD).join('\n')
  throw new RemediumError('bad-file', more > 0 ? `${told}\n... and ${more} more` : told)
}
