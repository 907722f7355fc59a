/** Reads the text in which programs show metrics to Prometheus. */

export interface ExposedSample {
  readonly name: string
  /** As the text has them, from brace to brace; empty where there are none. */
  readonly labelText: string
  readonly value: number
}

/** Takes time in proportion to the line, whatever stands there: two runs of white space never meet. */
const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\s*(\{.*\}))?\s+(\S+)(?:\s+-?\d+)?\s*$/
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?/gy
const LONGEST_LINE = 4096

const WORDS: Readonly<Record<string, number>> = {
  '+Inf': Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/** The labels of one line; nothing where they cannot be read. */
export const parseLabels = (labelText: string): Record<string, string> | undefined => {
  const inner = labelText.slice(1, -1)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inner.length) {
    const from = LABEL.lastIndex
    const found = LABEL.exec(inner)
    if (found === null) return inner.slice(from).trim() === '' ? labels : undefined
    labels[found[1]!] = found[2]!.replace(/\\(.)/g, (whole, letter: string) => ESCAPES[letter] ?? whole)
  }
  return labels
}

/** At most so many samples; what is no line of a sample is left out. */
export const parsePrometheus = (text: string, most: number): ExposedSample[] => {
  const samples: ExposedSample[] = []
  for (const line of text.split('\n')) {
    if (samples.length === most) break
    if (line === '' || line.startsWith('#') || line.length > LONGEST_LINE) continue
    const found = LINE.exec(line)
    if (found === null) continue
    const [, name, labelText = '', number] = found
    const value = WORDS[number!] ?? Number(number)
    if (Number.isNaN(value) && number !== 'NaN') continue
    samples.push({ name: name!, labelText, value })
  }
  return samples
}
