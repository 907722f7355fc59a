/** Removes all that the machine keeps of a cluster: processes, control groups, folders, a file outside them. */
import { readdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, sleep } from '../../../kit/index.ts'
import { createCgroups, findHierarchies, memoryFolderOf, removeTree } from '../../../linux/index.ts'
import { RemediumError } from '../../../spec/index.ts'
import { cgroupOf, halfMadePrefix, markerOf, TOP_GROUP } from './cluster-folder.ts'
import { removeOutsideFile } from './outside-file.ts'
import { whileStateLocked } from './state-folder.ts'

const PATIENCE_MS = 20_000
const PAUSE_MS = 10

/** Processes whose environment says that they were started for the cluster, this one not counted. */
const markedProcesses = (folder: string): number[] => {
  const [[name, value]] = Object.entries(markerOf(folder)) as [[string, string]]
  const marker = `${name}=${value}`
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((entry) => {
      try {
        return readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0').includes(marker)
      } catch {
        // It has ended, or is nobody's business of ours.
        return false
      }
    })
    .map(Number)
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Kills round after round, since what is killed may just have forked. */
const endProcesses = async (folder: string, id: string, clock: Clock): Promise<void> => {
  const cgroups = createCgroups()
  const deadline = clock.now() + PATIENCE_MS
  for (;;) {
    const left = new Set([...cgroups.pids(cgroupOf(id)), ...markedProcesses(folder)])
    for (const pid of left) kill(pid)
    if (left.size === 0 && cgroups.remove(cgroupOf(id))) return
    if (clock.now() > deadline) {
      throw new RemediumError(
        'not-ready',
        `Processes of cluster ${id} do not end: ${[...left].join(', ')}.`,
        {
          hint: 'Try "remedium cluster prune" again later.',
        },
      )
    }
    await sleep(clock, PAUSE_MS)
  }
}

/** Only empty ones go: a group of another cluster keeps it. */
export const removeTopGroup = (): void => {
  for (const folder of findHierarchies().folders)
    try {
      rmdirSync(join(folder, TOP_GROUP))
    } catch {
      // Another cluster lives, or it is gone already.
    }
}

/** In one step: when this process is killed, the rest is known for what nobody owns. */
const putAside = (folder: string, aside: string): void => {
  try {
    renameSync(folder, aside)
  } catch (error) {
    // Another process removes it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** For a cluster whose engine has ended or is about to. May be called by several at the same time. */
export const removeCluster = async (
  state: string,
  { folder, id, clock }: { folder: string; id: string; clock: Clock },
): Promise<void> => {
  await endProcesses(folder, id, clock)
  await removeTree(memoryFolderOf(folder))
  removeOutsideFile(folder)
  const aside = `${halfMadePrefix(state)}${id}`
  // Whoever claims a folder makes its control group under the same lock.
  whileStateLocked(state, () => {
    putAside(folder, aside)
    removeTopGroup()
  })
  await removeTree(aside)
  whileStateLocked(state, () => {})
}
