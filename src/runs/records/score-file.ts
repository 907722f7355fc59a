/** Judges the record in a file again; one that nobody can read or judge is told, and stops no others. */
import { readRecord } from '../../episode/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { type Judging, type Score, scoreRecord } from './score-record.ts'

export type FileScore =
  | { readonly kind: 'judged'; readonly score: Score }
  /** The harness failed before its verdict. */
  | { readonly kind: 'unjudged' }
  /** It is no record, or none of what this version knows. */
  | { readonly kind: 'bad'; readonly error: RemediumError }

const toError = (file: string, thrown: unknown): RemediumError => {
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
    return { kind: 'bad', error: toError(file, thrown) }
  }
}
