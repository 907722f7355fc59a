/** Translates an escape, such as `\d` or `\n`. */
import { UnsupportedTemplate } from '../template-error.ts'
import { wholeClass } from './character-classes.ts'
import { assertionPart, type MatchOptions, type PatternPart } from './pattern-part.ts'
import type { PatternReader } from './pattern-reader.ts'
import { readNumericEscape, readSimpleEscape } from './read-escape.ts'
import { regexError } from './regex-error.ts'
import { translateCharacter } from './translate-character.ts'

/** `start` is the position of the backslash, for messages. */
export const translateEscape = (reader: PatternReader, start: number, options: MatchOptions): PatternPart => {
  const { isAscii } = options
  const letter = reader.peek()
  if (letter === '') throw regexError('bad escape (end of pattern)', start)
  if ('dDwWsS'.includes(letter)) {
    reader.position += 1
    return { source: wholeClass(letter, isAscii), canBeEmpty: false, hasGroup: false }
  }
  if ('AZbB'.includes(letter)) {
    reader.position += 1
    if ('bB'.includes(letter) && !isAscii) throw new UnsupportedTemplate('\\b for non-ASCII text')
    return assertionPart(letter === 'A' ? '\\A' : letter === 'Z' ? '\\z' : `\\${letter}`)
  }
  const code = readNumericEscape(reader, false)
  if (code !== undefined) return translateCharacter(code, options)
  if (/\d/.test(letter)) throw new UnsupportedTemplate('backreferences in regular expressions')
  return translateCharacter(readSimpleEscape(reader, start, letter), options)
}
