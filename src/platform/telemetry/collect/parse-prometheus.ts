/** Parses the text exposition format of Prometheus. */

export interface ExposedSample {
  readonly name: string
  /** The labels as written, including the braces; empty if there are none. */
  readonly labelText: string
  readonly value: number
}

/** Matches in linear time: no two quantified groups of white space are adjacent. */
const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\s*(\{.*\}))?\s+(\S+)(?:\s+-?\d+)?\s*$/
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?/gy
const MAX_LINE_CHARACTERS = 4096

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  '+Inf': Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/** Parses the labels of one line; returns undefined if they are invalid. */
export const parseLabels = (labelText: string): Record<string, string> | undefined => {
  const inner = labelText.slice(1, -1)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inner.length) {
    const from = LABEL.lastIndex
    const match = LABEL.exec(inner)
    if (match === null) return inner.slice(from).trim() === '' ? labels : undefined
    labels[match[1]!] = match[2]!.replace(/\\(.)/g, (whole, escaped: string) => ESCAPES[escaped] ?? whole)
  }
  return labels
}

/** Returns at most `maxSamples` samples; skips invalid lines. */
export const parsePrometheus = (text: string, maxSamples: number): ExposedSample[] => {
  const samples: ExposedSample[] = []
  for (const line of text.split('\n')) {
    if (samples.length === maxSamples) break
    if (line === '' || line.startsWith('#') || line.length > MAX_LINE_CHARACTERS) continue
    const match = LINE.exec(line)
    if (match === null) continue
    const [, name, labelText = '', number] = match
    const value = NUMBER_WORDS[number!] ?? Number(number)
    if (Number.isNaN(value) && number !== 'NaN') continue
    samples.push({ name: name!, labelText, value })
  }
  return samples
}
