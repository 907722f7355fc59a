/** Judges the record in a file again. Reports a file that cannot be read or judged, so that others are still judged. */
import { readRecord } from '#exam/episode'
import { RemediumError } from '#spec'
import { type Judging, type Score, scoreRecord } from './score-record.ts'

export type FileScore =
  | { readonly kind: 'judged'; readonly score: Score }
  /** The episode was interrupted before a verdict. */
  | { readonly kind: 'unjudged' }
  /** The file is not a record, or names something that this version does not have. */
  | { readonly kind: 'bad'; readonly error: RemediumError }

const toBadFileError = (file: string, thrown: unknown): RemediumError => {
  const { message } = thrown as Error
  if (thrown instanceof RemediumError && message.startsWith(file)) return thrown
  const hint = thrown instanceof RemediumError ? thrown.hint : undefined
  const sentence = message.replace(/\.$/, '')
  return new RemediumError('bad-file', `${file} cannot be judged: ${sentence}.`, { hint, cause: thrown })
}

export const scoreFile = async (file: string, judging: Judging): Promise<FileScore> => {
  try {
    const score = await scoreRecord(readRecord(file), judging)
    return score === undefined ? { kind: 'unjudged' } : { kind: 'judged', score }
  } catch (thrown) {
    return { kind: 'bad', error: toBadFileError(file, thrown) }
  }
}
