/** Recent journey runs on a healthy system: the baseline that later runs are compared with. */
import type { JourneyBaseline, JourneyRecord } from '#spec'

export interface HealthyRuns {
  add(record: JourneyRecord): void
  /** The number of runs kept for a journey. */
  count(journey: string): number
  clear(): void
  /** One entry for each journey that has been run. */
  toBaseline(): JourneyBaseline[]
}

/** Runs that are kept for each journey: enough for percentiles. */
const MAX_RUNS = 40
/** Older runs are dropped if at least `MIN_RUNS` newer ones remain: programs may have been cold, or the machine busier. */
const MAX_AGE_MS = 120_000
const MIN_RUNS = 8

/**
 * Differs from the nearest rank in `kit`. The limits of verdicts depend on this definition, and records that are judged again
 * must give the same limits.
 */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const round = (ms: number): number => Math.round(ms * 10) / 10

const toJourneyBaseline = (journey: string, records: readonly JourneyRecord[]): JourneyBaseline => {
  const latencies = records
    .filter(({ ok }) => ok)
    .map(({ latencyMs }) => latencyMs)
    .sort((a, b) => a - b)
  return {
    journey,
    runs: records.length,
    failures: records.length - latencies.length,
    p50: round(percentile(latencies, 0.5)),
    p95: round(percentile(latencies, 0.95)),
  }
}

/** Keeps runs of `journeys` only: other journeys can run as preconditions of these. */
export const createHealthyRuns = (journeys: readonly string[]): HealthyRuns => {
  const recent = new Map<string, JourneyRecord[]>(journeys.map((journey) => [journey, []]))
  return {
    add(record) {
      const list = recent.get(record.journey)
      if (list === undefined) return
      list.push(record)
      const isOld = ({ intended }: JourneyRecord): boolean => record.intended - intended > MAX_AGE_MS
      while (list.length > MAX_RUNS || (list.length > MIN_RUNS && isOld(list[0]!))) list.shift()
    },
    count: (journey) => recent.get(journey)?.length ?? 0,
    clear() {
      for (const list of recent.values()) list.length = 0
    },
    toBaseline: () =>
      [...recent]
        .filter(([, list]) => list.length > 0)
        .map(([journey, list]) => toJourneyBaseline(journey, list)),
  }
}
