/** Finds the verdicts of episodes that had ended when the run was killed before it could note them. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { parseRecord } from '../../episode/index.ts'
import type { EpisodeResult, Fault } from '../../spec/index.ts'
import { recordPathOf } from '../records/record-path.ts'
import type { PlannedEpisode } from './plan-episodes.ts'
import { toEpisodeResult } from './to-episode-result.ts'

const fromRecord = (
  path: string,
  planned: PlannedEpisode,
  faults: ReadonlyMap<string, Fault>,
): EpisodeResult | undefined => {
  try {
    const result = toEpisodeResult(planned, parseRecord(readFileSync(path, 'utf8'), path), faults)
    return { ...result, tries: 1 }
  } catch {
    // What is no whole record is made anew.
    rmSync(path, { force: true })
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
