/** Reads the quantifier of a regular expression, such as `*` or `{2,3}`. */
import { UnsupportedTemplate } from '../template-error.ts'
import type { PatternReader } from './pattern-reader.ts'
import { regexError } from './regex-error.ts'

interface Quantifier {
  /** As RE2 reads it. */
  readonly text: string
  readonly min: number
  readonly max: number
}

const QUANTIFIER = /[*+?]|\{(\d*)(,?)(\d*)\}/y

/** Returns undefined if there is none; `{` is a literal if it does not begin one. */
export const readQuantifier = (reader: PatternReader): Quantifier | undefined => {
  QUANTIFIER.lastIndex = reader.position
  const match = QUANTIFIER.exec(reader.source)
  if (match === null) return undefined
  const [text, low, comma, high] = match
  if (text === '*' || text === '+' || text === '?') {
    reader.position += 1
    return { text, min: text === '+' ? 1 : 0, max: text === '?' ? 1 : Number.POSITIVE_INFINITY }
  }
  if (low === '' && high === '') {
    if (comma === '') return undefined
    reader.position += text.length
    return { text: '*', min: 0, max: Number.POSITIVE_INFINITY }
  }
  if (low === '' && comma === '') return undefined
  reader.position += text.length
  const min = Number(low === '' ? 0 : low)
  const max = comma === '' ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high)
  if (max < min) throw regexError('min repeat greater than max repeat', reader.position)
  if (min > 1000 || (max > 1000 && Number.isFinite(max)))
    throw new UnsupportedTemplate('more than 1000 repetitions in a regular expression')
  return { text: comma === '' ? `{${min}}` : `{${min},${high}}`, min, max }
}
