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
const toMs = (text: string): number | undefined =>
  /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined

/** `journeys` are those that may be named; any where absent. */
export const parseArrivals = (text: string, file: string, journeys?: readonly string[]): Arrival[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const header = fieldsOf(lines[0] ?? '').map((field) => field.toLowerCase())
  const msColumn = header.indexOf('ms')
  const journeyColumn = header.indexOf('journey')
  if (msColumn === -1)
    failWith([`${file}:1: the first line must name the columns, one of which is "ms": "ms,journey"`])
  const arrivals: Arrival[] = []
  const mistakes: string[] = []
  let latest = 0
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const place = `${file}:${index + 1}:`
    const fields = fieldsOf(line)
    const ms = toMs(fields[msColumn] ?? '')
    const journey = fields[journeyColumn] || undefined
    if (ms === undefined)
      mistakes.push(`${place} "ms" must be a number of milliseconds, not "${fields[msColumn] ?? ''}"`)
    else if (ms < 0) mistakes.push(`${place} "ms" must be at least 0, not ${ms}`)
    else if (ms < latest)
      mistakes.push(`${place} "ms" must not be less than the ${latest} of the line before, but is ${ms}`)
    else if (journey !== undefined && journeys?.includes(journey) === false)
      mistakes.push(`${place} "journey" is "${journey}", which is none of ${journeys.join(', ')}`)
    else arrivals.push(journey === undefined ? { ms } : { ms, journey })
    latest = Math.max(latest, ms ?? latest)
  }
  if (mistakes.length > 0) failWith(mistakes)
  if (arrivals.length === 0) failWith([`${file}:${lines.length}: there is not a single arrival in it`])
  return arrivals
}
