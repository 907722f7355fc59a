/** Counts the verdicts of a run, from its results and records. */
import { existsSync } from 'node:fs'
import { recordPathOf } from '#lab/records'
import { planEpisodes, readRun, runPaths } from '#lab/runs'
import { readResultLines } from './read-result-lines.ts'

export interface VerdictCount {
  /** Episodes with a record and a verdict other than void. */
  readonly verdicts: number
  /** Result lines beyond the first of each episode. */
  readonly repeated: number
  readonly missing: number
}

export const countVerdicts = (out: string): VerdictCount => {
  const paths = runPaths(out)
  if (!existsSync(paths.manifest)) return { verdicts: 0, repeated: 0, missing: 0 }
  const { manifest, results } = readRun(out)
  const judged = results.filter(
    ({ episode, outcome }) => outcome !== 'void' && existsSync(recordPathOf(paths.records, episode)),
  )
  const lines = readResultLines(paths.results).filter(({ outcome }) => outcome !== 'void')
  const episodes = new Set(lines.map(({ episode }) => episode))
  return {
    verdicts: judged.length,
    repeated: lines.length - episodes.size,
    missing: planEpisodes(manifest).length - judged.length,
  }
}
