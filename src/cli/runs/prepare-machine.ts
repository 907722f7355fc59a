/** Sees before a run has a folder that this machine has what episodes need. */
import { existsSync } from 'node:fs'

const isOver = async (folder: string): Promise<boolean> => {
  const { readRun, runPaths, unfinishedOf } = await import('../../runs/index.ts')
  if (!existsSync(runPaths(folder).manifest)) return false
  const { manifest, results } = readRun(folder)
  return unfinishedOf(manifest, results).length === 0
}

/** Gives the file of kubectl; nothing where the run in the folder has no episode left to play. */
export const prepareMachine = async (
  folder: string,
  root: string,
  progress: (line: string) => void,
): Promise<string | undefined> => {
  if (await isOver(folder)) return undefined
  const { ensureMachine } = await import('../tools/ensure-machine.ts')
  await ensureMachine(progress)
  const { ensureKubectl } = await import('../tools/ensure-kubectl.ts')
  return ensureKubectl(root, progress)
}
