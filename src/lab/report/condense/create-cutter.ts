/** Shortens long strings and lists, and counts the cuts. */

export interface Cutter {
  /** Keeps the start and the end; removes terminal colours. */
  text(value: unknown): string
  /** Keeps the first and the last values. */
  list<T>(values: readonly T[], maxLength: number): readonly T[]
  readonly cuts: number
}

/** The share that is kept before a cut; the rest is kept after it. */
const HEAD_SHARE = 0.7

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with a control character
const TERMINAL_COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g

/** Shorter values stay on one line. */
const MAX_LINE_CHARACTERS = 100

const toText = (value: unknown): string => {
  if (typeof value === 'string') return value
  const short = JSON.stringify(value) ?? ''
  return short.length <= MAX_LINE_CHARACTERS ? short : JSON.stringify(value, undefined, 2)
}

export const createCutter = (maxTextCharacters: number): Cutter => {
  let cuts = 0
  return {
    text(value) {
      const text = toText(value).replace(TERMINAL_COLOURS, '').replaceAll('\r\n', '\n')
      if (text.length <= maxTextCharacters) return text
      cuts += 1
      const head = Math.floor(maxTextCharacters * HEAD_SHARE)
      const omitted = text.length - maxTextCharacters
      return `${text.slice(0, head)}\n… ${omitted} characters omitted …\n${text.slice(text.length - (maxTextCharacters - head))}`
    },
    list(values, maxLength) {
      if (values.length <= maxLength) return values
      cuts += 1
      const head = Math.floor(maxLength * HEAD_SHARE)
      return [...values.slice(0, head), ...values.slice(values.length - (maxLength - head))]
    },
    get cuts() {
      return cuts
    },
  }
}
