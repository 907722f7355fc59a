/** Translates a class of characters, such as `[a-z]`. */
import { UnsupportedTemplate } from '../template-error.ts'
import { spend } from '../work.ts'
import { classPart, codePart } from './character-classes.ts'
import type { MatchOptions, PatternPart } from './pattern-part.ts'
import type { PatternReader } from './pattern-reader.ts'
import { readNumericEscape, readSimpleEscape } from './read-escape.ts'
import { regexError } from './regex-error.ts'

/** One member of a class: a code, or the content of a class such as `\d`. */
const readMember = (reader: PatternReader, start: number, isAscii: boolean): number | string => {
  if (reader.isAtEnd) throw regexError('unterminated character set', start)
  if (!reader.take('\\')) return reader.takeCode()
  const letter = reader.peek()
  if (letter === '') throw regexError('bad escape (end of pattern)', reader.position - 1)
  if ('dDwWsS'.includes(letter)) {
    reader.position += 1
    return classPart(letter, isAscii)
  }
  return readNumericEscape(reader, true) ?? readSimpleEscape(reader, reader.position - 1, letter)
}

const memberPart = (member: number | string, { ignoresCase, isAscii }: MatchOptions): string => {
  if (typeof member === 'string') return member
  if (ignoresCase && (member > 127 || !isAscii))
    throw new UnsupportedTemplate('ignoring the case of non-ASCII characters')
  return codePart(member)
}

/** `start` is the position of the opening bracket, for messages. */
export const translateClass = (reader: PatternReader, start: number, options: MatchOptions): PatternPart => {
  const isNegated = reader.take('^')
  let source = ''
  for (let isFirst = true; isFirst || !reader.take(']'); isFirst = false) {
    spend(1)
    const first = readMember(reader, start, options.isAscii)
    const isRange = reader.peek() === '-' && reader.source[reader.position + 1] !== ']'
    if (!isRange || reader.position + 1 >= reader.source.length) {
      source += memberPart(first, options)
      continue
    }
    reader.position += 1
    const last = readMember(reader, start, options.isAscii)
    if (typeof first === 'string' || typeof last === 'string' || last < first)
      throw regexError('bad character range', start)
    source += `${memberPart(first, options)}-${memberPart(last, options)}`
  }
  return { source: `[${isNegated ? '^' : ''}${source}]`, canBeEmpty: false, hasGroup: false }
}
