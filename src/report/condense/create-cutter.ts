/** Cuts what is too long for a page, and counts what it cut. */

export interface Cutter {
  /** Beginning and end are kept; colours of terminals are dropped. */
  text(value: unknown): string
  /** The first ones and the last: how something ended matters. */
  list<T>(values: readonly T[], most: number): readonly T[]
  readonly cuts: number
}

/** What comes before a cut, against what comes after it. */
const HEAD = 0.7

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const TERMINAL_COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g

/** A short value is easier to read on one line. */
const ONE_LINE = 100

const toText = (value: unknown): string => {
  if (typeof value === 'string') return value
  const short = JSON.stringify(value) ?? ''
  return short.length <= ONE_LINE ? short : JSON.stringify(value, undefined, 2)
}

/** `most`: characters of one text. */
export const createCutter = (most: number): Cutter => {
  let cuts = 0
  return {
    text(value) {
      const text = toText(value).replace(TERMINAL_COLOURS, '').replaceAll('\r\n', '\n')
      if (text.length <= most) return text
      cuts += 1
      const head = Math.floor(most * HEAD)
      const left = text.length - most
      return `${text.slice(0, head)}\n… ${left} characters left out …\n${text.slice(text.length - (most - head))}`
    },
    list(values, longest) {
      if (values.length <= longest) return values
      cuts += 1
      const head = Math.floor(longest * HEAD)
      return [...values.slice(0, head), ...values.slice(values.length - (longest - head))]
    },
    get cuts() {
      return cuts
    },
  }
}
