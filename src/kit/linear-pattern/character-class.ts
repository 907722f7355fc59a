/** Sets of characters: `[a-z]`, `\d`, `\pL`, `[[:alpha:]]`, and the escapes that stand for one character. */
import { PatternError, type PatternSource } from './pattern-source.ts'

/** Whether a code point belongs to the set. */
export type CharacterTest = (code: number) => boolean

const codeOf = (character: string): number => character.codePointAt(0)!

const byPattern = (pattern: RegExp): CharacterTest => {
  return (code) => pattern.test(String.fromCodePoint(code))
}

export const not =
  (test: CharacterTest): CharacterTest =>
  (code) =>
    !test(code)

export const range =
  (first: number, last: number): CharacterTest =>
  (code) =>
    code >= first && code <= last

const anyOf =
  (tests: readonly CharacterTest[]): CharacterTest =>
  (code) =>
    tests.some((test) => test(code))

/** Also what differs from a member in case alone. */
export const foldCase =
  (test: CharacterTest): CharacterTest =>
  (code) => {
    if (test(code)) return true
    const text = String.fromCodePoint(code)
    return [text.toLowerCase(), text.toUpperCase()].some((other) => test(codeOf(other)))
  }

const digit = range(0x30, 0x39)
/** As in Go, words are of ASCII. */
export const isWord = byPattern(/^[0-9A-Za-z_]$/)
const space = byPattern(/^[\t\n\f\r ]$/)

const PERL: ReadonlyMap<string, CharacterTest> = new Map([
  ['d', digit],
  ['D', not(digit)],
  ['w', isWord],
  ['W', not(isWord)],
  ['s', space],
  ['S', not(space)],
])

const POSIX: ReadonlyMap<string, CharacterTest> = new Map([
  ['alnum', byPattern(/^[0-9A-Za-z]$/)],
  ['alpha', byPattern(/^[A-Za-z]$/)],
  ['ascii', range(0, 0x7f)],
  ['blank', byPattern(/^[\t ]$/)],
  ['cntrl', anyOf([range(0, 0x1f), range(0x7f, 0x7f)])],
  ['digit', digit],
  ['graph', range(0x21, 0x7e)],
  ['lower', byPattern(/^[a-z]$/)],
  ['print', range(0x20, 0x7e)],
  ['punct', byPattern(/^[!-/:-@[-`{-~]$/)],
  ['space', byPattern(/^[\t\n\v\f\r ]$/)],
  ['upper', byPattern(/^[A-Z]$/)],
  ['word', isWord],
  ['xdigit', byPattern(/^[0-9A-Fa-f]$/)],
])

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
])

const unicodeClass = (source: PatternSource, from: number, negated: boolean): CharacterTest => {
  let name = source.next()
  if (name === '{') {
    const begun = source.at
    while (source.at < source.length && source.peek() !== '}') source.next()
    name = source.slice(begun)
    if (!source.take('}')) throw new PatternError('invalid character class range', source.slice(from))
  }
  const isNegated = negated !== name.startsWith('^')
  const plain = name.replace(/^\^/, '')
  for (const property of [plain, `Script=${plain}`]) {
    if (!/^[A-Za-z_=]+$/.test(property)) continue
    try {
      const test = byPattern(new RegExp(`^\\p{${property}}$`, 'u'))
      return isNegated ? not(test) : test
    } catch {}
  }
  throw new PatternError('invalid character class range', source.slice(from))
}

const hexadecimal = (source: PatternSource, from: number): number => {
  const digits = source.take('{') ? /^[0-9A-Fa-f]{1,6}$/ : /^[0-9A-Fa-f]{2}$/
  const isBraced = digits.source.includes('6')
  const begun = source.at
  while (source.at < source.length && (isBraced ? source.peek() !== '}' : source.at < begun + 2))
    source.next()
  const text = source.slice(begun)
  const code = Number.parseInt(text, 16)
  if (!digits.test(text) || code > 0x10ffff || (isBraced && !source.take('}')))
    throw new PatternError('invalid escape sequence', source.slice(from))
  return code
}

/** The code point of an escape that stands for one character; the reader is behind the backslash. */
export const escapedCharacter = (source: PatternSource): number => {
  const from = source.at - 1
  const character = source.next()
  if (character === '') throw new PatternError('trailing backslash at end of expression', '')
  if (character === 'x') return hexadecimal(source, from)
  const isOctal = character === '0' || (/[1-7]/.test(character) && /[0-7]/.test(source.peek()))
  if (isOctal) {
    let text = character
    while (text.length < 3 && /^[0-7]$/.test(source.peek())) text += source.next()
    return Number.parseInt(text, 8)
  }
  const control = CONTROLS.get(character)
  if (control !== undefined) return control
  if (codeOf(character) < 0x80 && !isWord(codeOf(character))) return codeOf(character)
  if (character === '_') return codeOf(character)
  throw new PatternError('invalid escape sequence', source.slice(from))
}

/** The set that an escape stands for, if it is one of many characters. */
export const escapedClass = (source: PatternSource): CharacterTest | undefined => {
  const from = source.at - 1
  const perl = PERL.get(source.peek())
  if (perl !== undefined) {
    source.next()
    return perl
  }
  if (source.take('p')) return unicodeClass(source, from, false)
  return source.take('P') ? unicodeClass(source, from, true) : undefined
}

const posixClass = (source: PatternSource): CharacterTest | undefined => {
  const from = source.at
  const found = /^\[:(\^?)([a-z]+):\]/.exec(source.slice(from, source.length))
  if (found === null) return undefined
  const test = POSIX.get(found[2]!)
  if (test === undefined) throw new PatternError('invalid character class range', found[0])
  source.at += found[0].length
  return found[1] === '^' ? not(test) : test
}

const bracketCharacter = (source: PatternSource): number =>
  source.take('\\') ? escapedCharacter(source) : codeOf(source.next())

const bracketItem = (source: PatternSource): CharacterTest => {
  const posix = posixClass(source)
  if (posix !== undefined) return posix
  const from = source.at
  if (source.take('\\')) {
    const many = escapedClass(source)
    if (many !== undefined) return many
    source.at = from
  }
  const first = bracketCharacter(source)
  const isRange =
    source.peek() === '-' &&
    source.at + 1 < source.length &&
    source.slice(source.at + 1, source.at + 2) !== ']'
  if (!isRange) return range(first, first)
  source.next()
  const last = bracketCharacter(source)
  if (last < first) throw new PatternError('invalid character class range', source.slice(from))
  return range(first, last)
}

/** `[...]`; the reader is behind the opening bracket. */
export const bracketClass = (source: PatternSource): CharacterTest => {
  const from = source.at - 1
  const negated = source.take('^')
  const items: CharacterTest[] = []
  // A bracket that closes right away is a member.
  while (items.length === 0 || source.peek() !== ']') {
    if (source.at >= source.length)
      throw new PatternError('missing closing ]', source.slice(from, source.length))
    items.push(bracketItem(source))
  }
  source.next()
  const test = anyOf(items)
  return negated ? not(test) : test
}
