/** Removes a cluster from the machine: its processes, control groups, folders and outside file. */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, sleep } from '#kit'
import { createCgroups, findHierarchies, memoryFolderOf, removeTree } from '#machine/linux'
import {
  draftPrefix,
  moveClusterFolderAside,
  removeOutsideFile,
  withStateLock,
} from '#platform/engines/folders'
import { RemediumError } from '#spec'
import { cgroupOf, markerOf, TOP_GROUP } from './claim-local-cluster.ts'

const TIMEOUT_MS = 20_000
const POLL_MS = 10

/** Lists the processes of the cluster by their environment, except this process. */
const listMarkedPids = (folder: string): number[] => {
  const [[name, value]] = Object.entries(markerOf(folder)) as [[string, string]]
  const marker = `${name}=${value}`
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((entry) => {
      try {
        return readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0').includes(marker)
      } catch {
        // The process has ended, or is not readable.
        return false
      }
    })
    .map(Number)
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

/** Repeats until no process is left, because a process may fork before it is killed. */
const killProcesses = async (folder: string, id: string, clock: Clock): Promise<void> => {
  const cgroups = createCgroups()
  const deadline = clock.now() + TIMEOUT_MS
  for (;;) {
    const remaining = new Set([...cgroups.pids(cgroupOf(id)), ...listMarkedPids(folder)])
    for (const pid of remaining) kill(pid)
    if (remaining.size === 0 && cgroups.remove(cgroupOf(id))) return
    if (clock.now() > deadline) {
      throw new RemediumError(
        'not-ready',
        `Processes of the cluster ${id} could not be killed: ${[...remaining].join(', ')}.`,
        {
          hint: 'Run "remedium cluster prune" later.',
        },
      )
    }
    await sleep(clock, POLL_MS)
  }
}

/** Removes the group of all clusters if it is empty. */
export const removeTopGroup = (): void => {
  for (const folder of findHierarchies().folders)
    try {
      rmdirSync(join(folder, TOP_GROUP))
    } catch {
      // Another cluster exists, or the group is already removed.
    }
}

/** The engine of the cluster must have ended or be ending. Concurrent calls are safe. */
export const removeCluster = async (
  state: string,
  { folder, id, clock }: { folder: string; id: string; clock: Clock },
): Promise<void> => {
  await killProcesses(folder, id, clock)
  await removeTree(memoryFolderOf(folder))
  removeOutsideFile(folder)
  const target = `${draftPrefix(state)}${id}`
  // Claims create their control group under the same lock.
  withStateLock(state, () => {
    moveClusterFolderAside(folder, target)
    removeTopGroup()
  })
  await removeTree(target)
  // Removes the folder of clusters if it is empty.
  withStateLock(state, () => {})
}
