/** Python's `\d`, `\w` and `\s` as parts of character classes of RE2, for ASCII and for other text. */
import { UnsupportedTemplate } from '../template-error.ts'

const SPACES: readonly (readonly [number, number])[] = [
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
]

export const codePart = (code: number): string => `\\x{${code.toString(16)}}`

const rangePart = ([first, last]: readonly [number, number]): string => `${codePart(first)}-${codePart(last)}`

const complementOf = (ranges: readonly (readonly [number, number])[]): [number, number][] => {
  const starts = [0, ...ranges.map(([, last]) => last + 1)]
  const ends = [...ranges.map(([first]) => first - 1), 0x10ffff]
  return starts.map((start, index) => [start, ends[index]!])
}

const ASCII: Readonly<Record<string, string>> = {
  d: '0-9',
  D: String.raw`\x00-/:-\x{10ffff}`,
  w: '0-9A-Za-z_',
  W: String.raw`\x00-/:-@[-^\x60{-\x{10ffff}`,
}

const UNICODE: Readonly<Record<string, string>> = {
  d: String.raw`\p{Nd}`,
  D: String.raw`\P{Nd}`,
  w: String.raw`\p{L}\p{N}_`,
}

/** The content of a class, without brackets. */
export const classPart = (letter: string, isAscii: boolean): string => {
  if (letter === 's') return SPACES.map(rangePart).join('')
  if (letter === 'S') return complementOf(SPACES).map(rangePart).join('')
  const part = isAscii ? ASCII[letter] : UNICODE[letter]
  if (part === undefined) throw new UnsupportedTemplate('\\W in a class, for non-ASCII text')
  return part
}

/** A complete class, with its brackets. */
export const wholeClass = (letter: string, isAscii: boolean): string =>
  letter === 'W' && !isAscii ? String.raw`[^\p{L}\p{N}_]` : `[${classPart(letter, isAscii)}]`
