/** Translates one character of a regular expression. */
import { UnsupportedTemplate } from '../template-error.ts'
import { codePart } from './character-classes.ts'
import type { MatchOptions, PatternPart } from './pattern-part.ts'

export const translateCharacter = (code: number, { ignoresCase, isAscii }: MatchOptions): PatternPart => {
  if (ignoresCase && (code > 127 || !isAscii))
    throw new UnsupportedTemplate('ignoring the case of non-ASCII characters')
  const isWord = code < 128 && /\w/.test(String.fromCodePoint(code))
  const source = isWord ? String.fromCodePoint(code) : codePart(code)
  return { source, canBeEmpty: false, hasGroup: false }
}
