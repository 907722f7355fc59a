/** Reads a recorded trace: a CSV with a column `ms` since the start, and optionally `journey`. */
import { failWith } from './mistakes.ts'

export interface Arrival {
  /** Since the start. */
  readonly ms: number
  /** Chosen by weight where absent. */
  readonly journey?: string
}

/** Fields of a line; those in quotes may have commas in them, and two quotes are one. */
const fieldsOf = (line: string): string[] => {
  const fields: string[] = []
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/gy
  while (pattern.lastIndex < line.length) {
    const match = pattern.exec(line)
    if (match === null) return [...fields, line]
    fields.push(match[1] === undefined ? match[2]!.trim() : match[1].replaceAll('""', '"'))
  }
  return fields
}

/** A number as traces write them: no hexadecimal, no infinity, nothing empty. */
const toMs = (text: string): number | undefined => {
  const ms = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

const SHOWN_CHARACTERS = 40

/** Somebody may have named something else than a trace: what is shown of it does no harm to a terminal. */
const shown = (text: string): string =>
  JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text)

const COLUMNS = ['ms', 'journey']

/** The names of the columns, in their order. */
const columnsOf = (line: string, file: string): string[] => {
  const columns = fieldsOf(line).map((field) => field.toLowerCase())
  if (!columns.includes('ms'))
    failWith([`${file}:1: the first line must name the columns, one of which is "ms": "ms,journey"`])
  const mistakes = columns.flatMap((column, index) => {
    if (!COLUMNS.includes(column))
      return [`${file}:1: there is no column ${shown(column)}, only ms and journey`]
    return columns.indexOf(column) < index ? [`${file}:1: the column "${column}" is there a second time`] : []
  })
  return mistakes.length > 0 ? failWith(mistakes) : columns
}

/** `journeys` are those that may be named; any where absent. */
export const parseArrivals = (text: string, file: string, journeys?: readonly string[]): Arrival[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const columns = columnsOf(lines[0]!, file)
  const arrivals: Arrival[] = []
  const mistakes: string[] = []
  let latest = 0

  const read = (line: string): string | undefined => {
    const fields = fieldsOf(line)
    const written = fields[columns.indexOf('ms')] ?? ''
    const ms = toMs(written)
    const journey = fields[columns.indexOf('journey')] || undefined
    if (fields.length > columns.length)
      return `there are ${fields.length} fields, but the first line names ${columns.length}`
    if (ms === undefined) return `"ms" must be a number of milliseconds, not ${shown(written)}`
    if (ms < 0) return `"ms" must be at least 0, not ${ms}`
    if (ms < latest) return `"ms" must not be less than the ${latest} of a line before, but is ${ms}`
    latest = ms
    if (journey !== undefined && journeys?.includes(journey) === false)
      return `"journey" is ${shown(journey)}, which is none of ${journeys.join(', ')}`
    arrivals.push(journey === undefined ? { ms } : { ms, journey })
    return undefined
  }

  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const mistake = read(line)
    if (mistake !== undefined) mistakes.push(`${file}:${index + 1}: ${mistake}`)
  }
  if (mistakes.length > 0) failWith(mistakes)
  if (arrivals.length === 0) failWith([`${file}:${lines.length}: there is not a single arrival in it`])
  return arrivals
}
