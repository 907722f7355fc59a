/** Finds the verdicts of episodes that had ended when the run was killed before it could note them. */
import { existsSync, renameSync } from 'node:fs'
import { readRecord } from '../../episode/index.ts'
import type { EpisodeResult, Fault } from '../../spec/index.ts'
import { recordPathOf } from '../records/record-path.ts'
import type { PlannedEpisode } from './plan-episodes.ts'
import { toEpisodeResult } from './to-episode-result.ts'

/** Of records that have their name, and are none. */
const UNREADABLE = '.unreadable'

/** The episode is played anew. Nothing is removed: somebody may be able to read it. */
const setAside = (path: string): void => {
  const names = Array.from(
    { length: 99 },
    (_, index) => `${path}${UNREADABLE}${index === 0 ? '' : `-${index + 1}`}`,
  )
  renameSync(path, names.find((name) => !existsSync(name)) ?? names[0]!)
}

const fromRecord = (
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

/** Records get their names only when they are whole, so that those which have no result are as good as any. */
export const recoverResults = (
  records: string,
  missing: readonly PlannedEpisode[],
  faults: ReadonlyMap<string, Fault>,
): EpisodeResult[] =>
  missing.flatMap((planned) => {
    const path = recordPathOf(records, planned.episode)
    return existsSync(path) ? (fromRecord(path, planned, faults) ?? []) : []
  })
