/** How users fared under a load, from the records of their walks. */
import { readFileSync } from 'node:fs'
import { percentile } from '../../src/kit/index.ts'
import type { JourneyRecord, RequestRecord } from '../../src/spec/index.ts'
import type { RecordBatch } from '../../src/workload/index.ts'

export interface LoadFigures {
  readonly walks: number
  /** Different ones that were walked. */
  readonly journeys: readonly string[]
  /** The journey that succeeded least often, and how often: 0 to 1. */
  readonly worst: { readonly journey: string; readonly success: number }
  /** Of all walks, in milliseconds, for each third of the time. */
  readonly p95ByThird: readonly number[]
  /** What went wrong, in words. */
  readonly failures: readonly string[]
}

const percentile95 = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return percentile(sorted, 0.95) ?? Number.NaN
}

const successOf = (walks: readonly JourneyRecord[]): number =>
  walks.filter(({ ok }) => ok).length / walks.length

/** A JSON line for each request and each walk. */
export const readRecords = (file: string): RecordBatch => {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const records = lines.map(
    (line) => JSON.parse(line) as { request?: RequestRecord; journey?: JourneyRecord },
  )
  return {
    requests: records.flatMap(({ request }) => request ?? []),
    journeys: records.flatMap(({ journey }) => journey ?? []),
  }
}

/** `others` count for success, not for latency: walks outside the load, by which every journey is walked at least once. */
export const toLoadFigures = (load: RecordBatch, others: RecordBatch): LoadFigures => {
  const walks = load.journeys
  const begin = Math.min(...walks.map(({ intended }) => intended))
  const third = (Math.max(...walks.map(({ intended }) => intended)) - begin) / 3 + 1
  const byJourney = Object.entries(Object.groupBy([...walks, ...others.journeys], ({ journey }) => journey))
  const worst = byJourney
    .map(([journey, own = []]) => ({ journey, success: successOf(own) }))
    .reduce((least, one) => (one.success < least.success ? one : least))
  return {
    walks: walks.length,
    journeys: byJourney.map(([journey]) => journey),
    worst,
    p95ByThird: [0, 1, 2].map((part) =>
      percentile95(
        walks
          .filter(({ intended }) => Math.floor((intended - begin) / third) === part)
          .map(({ latencyMs }) => latencyMs),
      ),
    ),
    failures: [...load.requests, ...others.requests]
      .filter(({ outcome }) => outcome !== 'ok')
      .map(
        ({ journey, step, outcome, status, detail = '' }) =>
          `${journey}/${step}: ${outcome} ${status} ${detail}`,
      ),
  }
}
