/** The replacements of `re.sub`: `\1`, `\g<name>` and escapes. */
import { PythonError } from '../python/python-error.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import type { Match } from './python-pattern.ts'

type Piece = string | { readonly group: number }

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

const ESCAPE = /\\(?:g<([^>]*)>|(0[0-7]{0,2}|[1-9]\d?)|([\s\S]?))/gu

const regexError = (message: string): PythonError => new PythonError('error', message)

const groupOf = (name: string, count: number, names: ReadonlyMap<string, number>): number => {
  if (!/^\d+$/.test(name)) {
    const group = names.get(name)
    if (/^[A-Za-z_]\w*$/.test(name) && group === undefined)
      throw new PythonError('IndexError', `unknown group name '${name}'`)
    if (group === undefined) throw regexError(`bad character in group name '${name}'`)
    return group
  }
  if (Number(name) > count) throw regexError(`invalid group reference ${Number(name)}`)
  return Number(name)
}

const escapeOf = (letter: string): string => {
  if (letter === '') throw regexError('bad escape (end of pattern)')
  if (letter === 'g') throw regexError('missing group name')
  const character = ESCAPES[letter]
  if (character === undefined && /[A-Za-z]/.test(letter)) throw regexError(`bad escape \\${letter}`)
  return character ?? `\\${letter}`
}

const digitsOf = (digits: string, next: string, count: number): Piece => {
  if (digits.startsWith('0')) return String.fromCodePoint(Number.parseInt(digits, 8))
  // Three octal digits are a character.
  if (/^[0-7]{2}$/.test(digits) && /^[0-7]/.test(next))
    throw new UnsupportedTemplate('octal escapes in a replacement')
  if (Number(digits) > count) throw regexError(`invalid group reference ${Number(digits)}`)
  return { group: Number(digits) }
}

/** Parses a replacement for a pattern with `count` groups. */
export const parseReplacement = (
  text: string,
  count: number,
  names: ReadonlyMap<string, number>,
): readonly Piece[] => {
  const pieces: Piece[] = []
  let copied = 0
  for (const match of text.matchAll(ESCAPE)) {
    const [all, name, digits, letter] = match
    const end = match.index + all.length
    pieces.push(text.slice(copied, match.index))
    copied = end
    if (name !== undefined) pieces.push({ group: groupOf(name, count, names) })
    else if (digits !== undefined) pieces.push(digitsOf(digits, text.slice(end, end + 1), count))
    else pieces.push(escapeOf(letter!))
  }
  return [...pieces, text.slice(copied)]
}

export const expandReplacement = (pieces: readonly Piece[], { groups }: Match): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : (groups[piece.group] ?? ''))).join('')
