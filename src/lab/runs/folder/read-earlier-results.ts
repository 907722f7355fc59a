/** Reads the results of the newest runs in a folder, for estimates. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { EpisodeResult } from '#spec'
import { readRun, runPaths } from './run-folder.ts'

const MAX_RUNS = 20

const listRuns = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => existsSync(runPaths(path).results))
  } catch {
    return []
  }
}

/** An estimate does not need every run, so a run that cannot be read is skipped. */
const readResults = (path: string): EpisodeResult[] => {
  try {
    return readRun(path).results
  } catch {
    return []
  }
}

/** Returns only results of judged episodes; none if the folder does not exist. */
export const readEarlierResults = (folder: string): EpisodeResult[] =>
  listRuns(folder)
    .map((path) => ({ path, changed: statSync(runPaths(path).results).mtimeMs }))
    .toSorted((one, other) => other.changed - one.changed)
    .slice(0, MAX_RUNS)
    .flatMap(({ path }) => readResults(path))
    .filter(({ outcome }) => outcome !== 'void')
