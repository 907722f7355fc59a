/** Computes the success and the latency of a load from the records of journey runs. */
import { readFileSync } from 'node:fs'
import { percentile } from '#kit'
import type { JourneyRecord, RequestRecord } from '#spec'
import type { RecordBatch } from '#world/workload'

export interface LoadFigures {
  readonly runs: number
  /** The journeys that ran. */
  readonly journeys: readonly string[]
  /** The journey with the lowest share of successful runs; `success` is this share, 0 to 1. */
  readonly worst: { readonly journey: string; readonly success: number }
  /** The 95th percentile of the latency of all runs in milliseconds, for each third of the load. */
  readonly p95ByThird: readonly number[]
  /** One line per failed request. */
  readonly failures: readonly string[]
}

const percentile95 = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return percentile(sorted, 0.95) ?? Number.NaN
}

const successOf = (runs: readonly JourneyRecord[]): number => runs.filter(({ ok }) => ok).length / runs.length

/** Reads a file with a JSON line for each request and each journey run. */
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

/** `others` are runs outside the load, at least one of every journey. They count for success, not for latency. */
export const toLoadFigures = (load: RecordBatch, others: RecordBatch): LoadFigures => {
  const runs = load.journeys
  const startMs = Math.min(...runs.map(({ intended }) => intended))
  const thirdMs = (Math.max(...runs.map(({ intended }) => intended)) - startMs) / 3 + 1
  const byJourney = Object.entries(Object.groupBy([...runs, ...others.journeys], ({ journey }) => journey))
  const worst = byJourney
    .map(([journey, journeyRuns = []]) => ({ journey, success: successOf(journeyRuns) }))
    .reduce((lowest, entry) => (entry.success < lowest.success ? entry : lowest))
  return {
    runs: runs.length,
    journeys: byJourney.map(([journey]) => journey),
    worst,
    p95ByThird: [0, 1, 2].map((part) =>
      percentile95(
        runs
          .filter(({ intended }) => Math.floor((intended - startMs) / thirdMs) === part)
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
