/** Recovers results of episodes whose record is complete, but whose result was not written before the run was killed. */
import { existsSync, renameSync } from 'node:fs'
import { readRecord } from '#exam/episode'
import { recordPathOf } from '#lab/records'
import type { EpisodeResult, Fault } from '#spec'
import type { PlannedEpisode } from './plan-episodes.ts'
import { toEpisodeResult } from './to-episode-result.ts'

/** The suffix of files that have the name of a record, but cannot be read as one. */
const UNREADABLE = '.unreadable'

/** Renames the file; the episode is played again. Nothing is deleted. */
const setAside = (path: string): void => {
  const names = Array.from(
    { length: 99 },
    (_, index) => `${path}${UNREADABLE}${index === 0 ? '' : `-${index + 1}`}`,
  )
  renameSync(path, names.find((name) => !existsSync(name)) ?? names[0]!)
}

const readResult = (
  path: string,
  planned: PlannedEpisode,
  faults: ReadonlyMap<string, Fault>,
): EpisodeResult | undefined => {
  try {
    return { ...toEpisodeResult(planned, readRecord(path), faults), tries: 1 }
  } catch {
    setAside(path)
    return undefined
  }
}

/** A record has its final name only if it is complete. */
export const recoverResults = (
  records: string,
  missing: readonly PlannedEpisode[],
  faults: ReadonlyMap<string, Fault>,
): EpisodeResult[] =>
  missing.flatMap((planned) => {
    const path = recordPathOf(records, planned.episode)
    return existsSync(path) ? (readResult(path, planned, faults) ?? []) : []
  })
