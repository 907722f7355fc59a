/** Summarises journey runs by journey, as data and as a table. */
import { percentile } from '#kit'
import type { GeneratorHealth, JourneyRecord, RequestRecord, Workload } from '#spec'

export interface JourneySummary {
  readonly journey: string
  readonly count: number
  /** 0 to 1. This and the percentiles are null if the journey has not run. */
  readonly success: number | null
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
  /** Failed requests by kind; each with the latest example. */
  readonly errors: Readonly<Record<string, { readonly count: number; readonly example: string }>>
}

export interface LoadSummary {
  add(batch: { requests: readonly RequestRecord[]; journeys: readonly JourneyRecord[] }): void
  journeys(): JourneySummary[]
  /** Summarises the journey runs since the previous call. */
  recent(): { runs: number; failed: number; p95: number }
  readonly runs: number
  readonly failed: number
  /** Requests with a response of any status. */
  readonly answered: number
}

interface Tally {
  readonly latencies: number[]
  ok: number
  readonly errors: Record<string, { count: number; example: string }>
}

const toSorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

const exampleOf = ({ status, detail = '' }: RequestRecord): string =>
  status === 0 ? detail : `${status}${detail === '' ? '' : ` ${detail}`}`

/** Includes every journey with a weight above 0, even if it has not run. */
export const createLoadSummary = ({ journeys: planned }: Pick<Workload, 'journeys'>): LoadSummary => {
  const byJourney = new Map<string, Tally>()
  const total = { runs: 0, failed: 0, answered: 0 }
  let latest: { runs: number; failed: number; latencies: number[] } = { runs: 0, failed: 0, latencies: [] }

  const tallyOf = (journey: string): Tally => {
    const existing = byJourney.get(journey)
    if (existing !== undefined) return existing
    const added: Tally = { latencies: [], ok: 0, errors: {} }
    byJourney.set(journey, added)
    return added
  }

  for (const { name, weight } of planned) if (weight > 0) tallyOf(name)

  const addRequest = (request: RequestRecord): void => {
    if (request.status > 0) total.answered += 1
    if (request.outcome === 'ok') return
    const { errors } = tallyOf(request.journey)
    errors[request.outcome] = {
      count: (errors[request.outcome]?.count ?? 0) + 1,
      example: `${request.step}: ${exampleOf(request)}`,
    }
  }
  const addJourney = ({ journey, ok, latencyMs }: JourneyRecord): void => {
    const tally = tallyOf(journey)
    tally.latencies.push(latencyMs)
    latest.latencies.push(latencyMs)
    for (const counts of [total, latest]) counts.runs += 1
    if (ok) tally.ok += 1
    else for (const counts of [total, latest]) counts.failed += 1
  }

  return {
    add({ requests, journeys }) {
      for (const request of requests) addRequest(request)
      for (const journey of journeys) addJourney(journey)
    },
    journeys: () =>
      [...byJourney].map(([journey, { latencies, ok, errors }]) => {
        const sorted = toSorted(latencies)
        const count = sorted.length
        const percentileAt = (share: number): number | null => percentile(sorted, share) ?? null
        return {
          journey,
          count,
          success: count === 0 ? null : ok / count,
          p50: percentileAt(0.5),
          p95: percentileAt(0.95),
          p99: percentileAt(0.99),
          errors,
        }
      }),
    recent() {
      const { runs, failed, latencies } = latest
      latest = { runs: 0, failed: 0, latencies: [] }
      return { runs, failed, p95: percentile(toSorted(latencies), 0.95) ?? 0 }
    },
    get runs() {
      return total.runs
    },
    get failed() {
      return total.failed
    },
    get answered() {
      return total.answered
    },
  }
}

const toColumns = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
  return rows.map((row) => `${line(row)}\n`).join('')
}

const toMsText = (value: number): string => `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`

/** Rounds down, so that a single failure never shows as 100 %. */
const toPercentText = (share: number): string => `${(Math.floor(share * 10_000 + 1e-9) / 100).toFixed(2)} %`

export const healthText = ({ arrivals, dropped, unfinished, lagMs, cpu }: GeneratorHealth): string =>
  `The generator started ${arrivals - dropped} of ${arrivals} journey runs, ` +
  (unfinished === 0 ? '' : `of which ${unfinished} had not ended when it stopped, `) +
  `half within ${toMsText(lagMs.p50)} of their due time, 99 % within ${toMsText(lagMs.p99)}, all within ${toMsText(lagMs.max)}, ` +
  `and used ${cpu.toFixed(2)} cores.\n`

/** A table with a line for each journey, the latest errors, and the health of the generator. */
export const summaryText = (journeys: readonly JourneySummary[], health: GeneratorHealth): string => {
  const rows = journeys.map(({ journey, count, success, p50, p95, p99, errors }) => [
    journey,
    String(count),
    success === null ? '-' : toPercentText(success),
    ...[p50, p95, p99].map((value) => (value === null ? '-' : toMsText(value))),
    Object.entries(errors)
      .map(([kind, error]) => `${kind} ${error.count}`)
      .join(', ') || 'none',
  ])
  const examples = journeys.flatMap(({ journey, errors }) =>
    Object.entries(errors).map(([kind, { example }]) => `  ${journey} (${kind}): ${example}\n`),
  )
  const table = toColumns([['JOURNEY', 'RUNS', 'SUCCESS', 'P50', 'P95', 'P99', 'ERRORS'], ...rows])
  const latest = examples.length === 0 ? '' : `\nThe latest error of each kind:\n${examples.join('')}`
  return `${table}${latest}\n${healthText(health)}`
}
