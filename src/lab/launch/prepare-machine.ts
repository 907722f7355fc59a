/** Checks that this machine meets the requirements of episodes, before a run folder is created. */
import { existsSync } from 'node:fs'
import { readRun, runPaths, unfinishedOf } from '#lab/runs'
import { ensureKubectl, ensureMachine } from '#lab/tools'
import { usesMachine } from '#lab/workers'
import { DEFAULT_ENGINE, type RunManifest } from '#spec'

export interface MachinePreparation {
  /** The folder of the run, which need not exist. */
  readonly folder: string
  /** The plan of the run; by default the manifest of the folder. */
  readonly manifest: RunManifest | undefined
  readonly root: string
  progress(line: string): void
}

/** Whether episodes are left, and the engine runs them as processes on this machine. */
const needsMachine = ({ folder, manifest: planned }: MachinePreparation): boolean => {
  if (!existsSync(runPaths(folder).manifest)) return usesMachine(planned?.engine ?? DEFAULT_ENGINE)
  const { manifest, results } = readRun(folder)
  return usesMachine(manifest.engine) && unfinishedOf(manifest, results).length > 0
}

/** Returns the path of kubectl; undefined if the run does not need the machine, or there is no kubectl. */
export const prepareMachine = async (preparation: MachinePreparation): Promise<string | undefined> => {
  if (!needsMachine(preparation)) return undefined
  const { root, progress } = preparation
  await ensureMachine(progress)
  return ensureKubectl(root, progress)
}
