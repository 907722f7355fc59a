/** Checks that this machine meets the requirements of episodes, before a run folder is created. */
import { existsSync } from 'node:fs'
import { readRun, runPaths, unfinishedOf } from '#lab/runs'
import { ensureKubectl, ensureMachine } from '#lab/tools'

const isFinished = async (folder: string): Promise<boolean> => {
  if (!existsSync(runPaths(folder).manifest)) return false
  const { manifest, results } = readRun(folder)
  return unfinishedOf(manifest, results).length === 0
}

/** Returns the path of kubectl; undefined if the run in the folder is finished or there is no kubectl. */
export const prepareMachine = async (
  folder: string,
  root: string,
  progress: (line: string) => void,
): Promise<string | undefined> => {
  if (await isFinished(folder)) return undefined
  await ensureMachine(progress)
  return ensureKubectl(root, progress)
}
