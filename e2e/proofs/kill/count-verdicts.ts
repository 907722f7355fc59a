/** How many verdicts a run has, by its own lines and records. */
import { existsSync } from 'node:fs'
import { planEpisodes, readRun, recordPathOf, runPaths } from '../../../src/runs/index.ts'
import { readLines } from './read-lines.ts'

export interface VerdictCount {
  /** Episodes that were judged and have a whole record. */
  readonly verdicts: number
  /** Lines of judged episodes beyond the first of each. */
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
  const lines = readLines(paths.results).filter(({ outcome }) => outcome !== 'void')
  const episodes = new Set(lines.map(({ episode }) => episode))
  return {
    verdicts: judged.length,
    repeated: lines.length - episodes.size,
    missing: planEpisodes(manifest).length - judged.length,
  }
}
