/** How users fared under a load, from the records of their walks. */
import { readFileSync } from 'node:fs'
import type { JourneyRecord, RequestRecord } from '../../src/spec/index.ts'

export interface LoadFigures {
  readonly walks: number
  /** The journey that succeeded least often, and how often: 0 to 1. */
  readonly worst: { readonly journey: string; readonly success: number }
  /** Of all walks, in milliseconds, for each third of the time. */
  readonly p95ByThird: readonly number[]
  /** What went wrong, in words. */
  readonly failures: readonly string[]
}

const percentile95 = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? Number.NaN
}

const successOf = (walks: readonly JourneyRecord[]): number =>
  walks.filter(({ ok }) => ok).length / walks.length

/** The file has a JSON line for each request and each walk. */
export const readLoadFigures = (file: string): LoadFigures => {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const records = lines.map(
    (line) => JSON.parse(line) as { request?: RequestRecord; journey?: JourneyRecord },
  )
  const walks = records.flatMap(({ journey }) => journey ?? [])
  const begin = Math.min(...walks.map(({ intended }) => intended))
  const third = (Math.max(...walks.map(({ intended }) => intended)) - begin) / 3 + 1
  const byJourney = Object.entries(Object.groupBy(walks, ({ journey }) => journey))
  const worst = byJourney
    .map(([journey, own = []]) => ({ journey, success: successOf(own) }))
    .reduce((least, one) => (one.success < least.success ? one : least))
  return {
    walks: walks.length,
    worst,
    p95ByThird: [0, 1, 2].map((part) =>
      percentile95(
        walks
          .filter(({ intended }) => Math.floor((intended - begin) / third) === part)
          .map(({ latencyMs }) => latencyMs),
      ),
    ),
    failures: records
      .flatMap(({ request }) => (request === undefined || request.outcome === 'ok' ? [] : [request]))
      .map(
        ({ journey, step, outcome, status, detail = '' }) =>
          `${journey}/${step}: ${outcome} ${status} ${detail}`,
      ),
  }
}
