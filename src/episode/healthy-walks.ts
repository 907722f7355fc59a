/** What is remembered of the walks of users while all was well: the measure for what comes later. */
import type { JourneyBaseline, JourneyRecord } from '../spec/index.ts'

export interface HealthyWalks {
  add(record: JourneyRecord): void
  /** How many walks of the journey are remembered. */
  count(journey: string): number
  /** Begins anew. */
  forget(): void
  /** Of the journeys that were walked at all. */
  toBaseline(): JourneyBaseline[]
}

/** Of each journey: enough for percentiles, and recent. */
const REMEMBERED = 40
/** What is older is forgotten while so many newer ones are known: the machine may have been busier, and programs cold. */
const RECENT_MS = 120_000
const FEW = 8

/** The value above the share, not the nearest rank of `kit`: limits of verdicts come from it, also of records that are judged again. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const round = (ms: number): number => Math.round(ms * 10) / 10

const toOne = (journey: string, records: readonly JourneyRecord[]): JourneyBaseline => {
  const good = records
    .filter(({ ok }) => ok)
    .map(({ latencyMs }) => latencyMs)
    .sort((one, other) => one - other)
  return {
    journey,
    walks: records.length,
    failures: records.length - good.length,
    p50: round(percentile(good, 0.5)),
    p95: round(percentile(good, 0.95)),
  }
}

/** Only of `journeys`: what is walked because others need it is not measured. */
export const createHealthyWalks = (journeys: readonly string[]): HealthyWalks => {
  const recent = new Map<string, JourneyRecord[]>(journeys.map((journey) => [journey, []]))
  return {
    add(record) {
      const list = recent.get(record.journey)
      if (list === undefined) return
      list.push(record)
      const isOld = ({ intended }: JourneyRecord): boolean => record.intended - intended > RECENT_MS
      while (list.length > REMEMBERED || (list.length > FEW && isOld(list[0]!))) list.shift()
    },
    count: (journey) => recent.get(journey)?.length ?? 0,
    forget() {
      for (const list of recent.values()) list.length = 0
    },
    toBaseline: () =>
      [...recent].filter(([, list]) => list.length > 0).map(([journey, list]) => toOne(journey, list)),
  }
}
