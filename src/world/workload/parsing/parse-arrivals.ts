/** Parses a recorded trace: a CSV file with the column `ms` and, optionally, the column `journey`. */
import { failWith } from './fail-with.ts'

export interface Arrival {
  /** Milliseconds since the start. */
  readonly ms: number
  /** Chosen by weight if omitted. */
  readonly journey?: string
}

/** Splits a line of CSV. Quoted fields can contain commas; a quote inside them is doubled. */
const splitFields = (line: string): string[] => {
  const fields: string[] = []
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/gy
  while (pattern.lastIndex < line.length) {
    const match = pattern.exec(line)
    if (match === null) return [...fields, line]
    fields.push(match[1] === undefined ? match[2]!.trim() : match[1].replaceAll('""', '"'))
  }
  return fields
}

/** Parses a finite decimal number; `Number` alone would accept hexadecimal and empty text. */
const parseMs = (text: string): number | undefined => {
  const ms = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

const MAX_QUOTED_CHARACTERS = 40

/** Quotes a value for an error message: escapes control characters and truncates long text. */
const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}...` : text)

const COLUMNS = ['ms', 'journey']

/** Returns the names of the columns, in order. */
const parseColumns = (line: string, file: string): string[] => {
  const columns = splitFields(line).map((field) => field.toLowerCase())
  if (!columns.includes('ms'))
    failWith([`${file}:1: the first line must name the columns and include "ms", as in "ms,journey"`])
  const mistakes = columns.flatMap((column, index) => {
    if (!COLUMNS.includes(column))
      return [`${file}:1: unknown column ${quote(column)}: expected ms and journey`]
    return columns.indexOf(column) < index ? [`${file}:1: duplicate column "${column}"`] : []
  })
  return mistakes.length > 0 ? failWith(mistakes) : columns
}

/** Throws if a line names a journey that is not in `journeys`; by default every name is accepted. */
export const parseArrivals = (text: string, file: string, journeys?: readonly string[]): Arrival[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const columns = parseColumns(lines[0]!, file)
  const arrivals: Arrival[] = []
  const mistakes: string[] = []
  let previousMs = 0

  const parseLine = (line: string): string | undefined => {
    const fields = splitFields(line)
    const msText = fields[columns.indexOf('ms')] ?? ''
    const ms = parseMs(msText)
    const journey = fields[columns.indexOf('journey')] || undefined
    if (fields.length > columns.length)
      return `expected ${columns.length} fields, as in the first line, not ${fields.length}`
    if (ms === undefined) return `"ms" must be a number of milliseconds, not ${quote(msText)}`
    if (ms < 0) return `"ms" must be at least 0, not ${ms}`
    if (ms < previousMs)
      return `"ms" must be at least ${previousMs}, the value of the previous line, not ${ms}`
    previousMs = ms
    if (journey !== undefined && journeys?.includes(journey) === false)
      return `"journey" must be one of ${journeys.join(', ')}, not ${quote(journey)}`
    arrivals.push(journey === undefined ? { ms } : { ms, journey })
    return undefined
  }

  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const mistake = parseLine(line)
    if (mistake !== undefined) mistakes.push(`${file}:${index + 1}: ${mistake}`)
  }
  if (mistakes.length > 0) failWith(mistakes)
  if (arrivals.length === 0) failWith([`${file}:${lines.length}: the trace has no arrivals`])
  return arrivals
}
