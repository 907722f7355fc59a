/** Text as Python sees it: code points instead of UTF-16 units, and Python's notion of white space and lines. */

const SURROGATE = /[\ud800-\udfff]/
const SPACES = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const LEADING_SPACE = new RegExp(`^[${SPACES}]+`)
/** The look-behind keeps it linear: a match begins only after another character. */
const TRAILING_SPACE = new RegExp(`(?<![${SPACES}])[${SPACES}]+$`)
const SPACE_RUN = new RegExp(`[${SPACES}]+`)
const ONLY_SPACE = new RegExp(`^[${SPACES}]+$`)
// biome-ignore lint/suspicious/noControlCharactersInRegex: they break lines in Python
const LINE_BREAK = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/

/** Whether every character is one UTF-16 unit. */
const isSimple = (text: string): boolean => !SURROGATE.test(text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

export const lengthOf = (text: string): number => (isSimple(text) ? text.length : Array.from(text).length)

export const toCharacters = (text: string): string[] => (isSimple(text) ? text.split('') : Array.from(text))

/** The part from `start` to `end`, in code points. */
export const sliceText = (text: string, start: number, end?: number): string =>
  isSimple(text) ? text.slice(start, end) : Array.from(text).slice(start, end).join('')

/** Compares by code points; UTF-16 units would order some characters differently. */
export const compareText = (a: string, b: string): number => {
  if (isSimple(a) && isSimple(b)) return a < b ? -1 : a > b ? 1 : 0
  const [left, right] = [Array.from(a), Array.from(b)]
  for (let index = 0; index < left.length && index < right.length; index += 1) {
    const difference = left[index]!.codePointAt(0)! - right[index]!.codePointAt(0)!
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** `str.lstrip`; without `characters` it removes white space. */
export const stripStart = (text: string, characters?: string): string => {
  if (characters === undefined) return text.replace(LEADING_SPACE, '')
  const [all, set] = [toCharacters(text), new Set(characters)]
  const start = all.findIndex((character) => !set.has(character))
  return start < 0 ? '' : all.slice(start).join('')
}

/** `str.rstrip`. */
export const stripEnd = (text: string, characters?: string): string => {
  if (characters === undefined) return text.replace(TRAILING_SPACE, '')
  const [all, set] = [toCharacters(text), new Set(characters)]
  return all.slice(0, all.findLastIndex((character) => !set.has(character)) + 1).join('')
}

export const strip = (text: string, characters?: string): string =>
  stripEnd(stripStart(text, characters), characters)

export const isSpace = (text: string): boolean => ONLY_SPACE.test(text)

/** Splits at runs of white space, as `str.split()` does. */
export const splitSpace = (text: string): string[] => {
  const stripped = strip(text)
  return stripped === '' ? [] : stripped.split(SPACE_RUN)
}

/** `str.splitlines`. */
export const splitLines = (text: string, keepsEnds = false): string[] => {
  const lines: string[] = []
  let rest = text
  while (rest !== '') {
    const match = LINE_BREAK.exec(rest)
    const end = match === null ? rest.length : match.index
    const next = end + (match?.[0].length ?? 0)
    lines.push(rest.slice(0, keepsEnds ? next : end))
    rest = rest.slice(next)
  }
  return lines
}
