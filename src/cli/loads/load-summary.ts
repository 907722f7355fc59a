/** Sums up what users lived, for a table and for programs. */
import { percentile } from '../../kit/index.ts'
import type { GeneratorHealth, JourneyRecord, RequestRecord, Workload } from '../../spec/index.ts'

export interface JourneySummary {
  readonly journey: string
  readonly count: number
  /** 0 to 1; null, as all that follows, where nobody has walked it. */
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
  /** Since the last time this was asked. */
  recent(): { walks: number; failed: number; p95: number }
  readonly walks: number
  readonly failed: number
  /** Requests that got any answer at all. */
  readonly answered: number
}

interface Tally {
  readonly latencies: number[]
  ok: number
  readonly errors: Record<string, { count: number; example: string }>
}

const sortedOf = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

const exampleOf = ({ status, detail = '' }: RequestRecord): string =>
  status === 0 ? detail : `${status}${detail === '' ? '' : ` ${detail}`}`

/** Has all journeys that should be walked, also where none was. */
export const createLoadSummary = ({ journeys: planned }: Pick<Workload, 'journeys'>): LoadSummary => {
  const byJourney = new Map<string, Tally>()
  const total = { walks: 0, failed: 0, answered: 0 }
  let latest: { walks: number; failed: number; latencies: number[] } = { walks: 0, failed: 0, latencies: [] }

  const entryOf = (journey: string): Tally => {
    const known = byJourney.get(journey)
    if (known !== undefined) return known
    const made: Tally = { latencies: [], ok: 0, errors: {} }
    byJourney.set(journey, made)
    return made
  }

  for (const { name, weight } of planned) if (weight > 0) entryOf(name)

  const addRequest = (request: RequestRecord): void => {
    if (request.status > 0) total.answered += 1
    if (request.outcome === 'ok') return
    const { errors } = entryOf(request.journey)
    errors[request.outcome] = {
      count: (errors[request.outcome]?.count ?? 0) + 1,
      example: `${request.step}: ${exampleOf(request)}`,
    }
  }
  const addJourney = ({ journey, ok, latencyMs }: JourneyRecord): void => {
    const entry = entryOf(journey)
    entry.latencies.push(latencyMs)
    latest.latencies.push(latencyMs)
    for (const counts of [total, latest]) counts.walks += 1
    if (ok) entry.ok += 1
    else for (const counts of [total, latest]) counts.failed += 1
  }

  return {
    add({ requests, journeys }) {
      for (const request of requests) addRequest(request)
      for (const journey of journeys) addJourney(journey)
    },
    journeys: () =>
      [...byJourney].map(([journey, { latencies, ok, errors }]) => {
        const sorted = sortedOf(latencies)
        const count = sorted.length
        const at = (share: number): number | null => percentile(sorted, share) ?? null
        return {
          journey,
          count,
          success: count === 0 ? null : ok / count,
          p50: at(0.5),
          p95: at(0.95),
          p99: at(0.99),
          errors,
        }
      }),
    recent() {
      const { walks, failed, latencies } = latest
      latest = { walks: 0, failed: 0, latencies: [] }
      return { walks, failed, p95: percentile(sortedOf(latencies), 0.95) ?? 0 }
    },
    get walks() {
      return total.walks
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

const ms = (value: number): string => `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`

/** Rounded down, so that what failed once is not told as 100 %. */
const percent = (share: number): string => `${(Math.floor(share * 10_000 + 1e-9) / 100).toFixed(2)} %`

export const healthText = ({ arrivals, dropped, onTheWay, lagMs, cpu }: GeneratorHealth): string =>
  `The generator began ${arrivals - dropped} of ${arrivals} walks, ` +
  (onTheWay === 0 ? '' : `of which ${onTheWay} had not ended when it did, `) +
  `half within ${ms(lagMs.p50)} of their time, 99 % within ${ms(lagMs.p99)}, all within ${ms(lagMs.most)}, ` +
  `and used ${cpu.toFixed(2)} cores.\n`

/** A table with a line for each journey, what went wrong in words, and how well the generator kept its promises. */
export const summaryText = (journeys: readonly JourneySummary[], health: GeneratorHealth): string => {
  const rows = journeys.map(({ journey, count, success, p50, p95, p99, errors }) => [
    journey,
    String(count),
    success === null ? '-' : percent(success),
    ...[p50, p95, p99].map((value) => (value === null ? '-' : ms(value))),
    Object.entries(errors)
      .map(([kind, error]) => `${kind} ${error.count}`)
      .join(', ') || 'none',
  ])
  const examples = journeys.flatMap(({ journey, errors }) =>
    Object.entries(errors).map(([kind, { example }]) => `  ${journey} (${kind}): ${example}\n`),
  )
  const table = toColumns([['JOURNEY', 'WALKS', 'SUCCESS', 'P50', 'P95', 'P99', 'ERRORS'], ...rows])
  const wrong = examples.length === 0 ? '' : `\nThe latest error of each kind:\n${examples.join('')}`
  return `${table}${wrong}\n${healthText(health)}`
}
