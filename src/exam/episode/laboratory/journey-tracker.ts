/** Sorts journey runs: while the system is healthy they extend the baseline, otherwise they are collected. */
import type { JourneyRecord } from '#spec'
import { createHealthyRuns, type HealthyRuns } from './healthy-runs.ts'

export interface JourneyTracker {
  readonly healthy: HealthyRuns
  /** The runs since `collect`; empty while the system is healthy. */
  readonly collected: readonly JourneyRecord[]
  add(record: JourneyRecord): void
  /** Runs that are due at `now` or later extend the baseline; earlier ones are ignored. */
  startHealthy(now: number): void
  /** Collects all runs from now on, because the system is broken, cold or being checked. */
  collect(): void
}

export const createJourneyTracker = (journeys: readonly string[]): JourneyTracker => {
  const healthy = createHealthyRuns(journeys)
  let collected: JourneyRecord[] = []
  let healthySince: number | undefined
  return {
    healthy,
    get collected() {
      return collected
    },
    add(record) {
      if (healthySince === undefined) collected.push(record)
      else if (record.intended >= healthySince) healthy.add(record)
    },
    startHealthy(now) {
      collected = []
      healthySince = now
    },
    collect() {
      collected = []
      healthySince = undefined
    },
  }
}
