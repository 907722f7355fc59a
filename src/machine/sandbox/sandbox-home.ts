/**
 * The resources of a sandbox on this machine: a folder in memory and a control group. Their name is random, because programs see it
 * in their list of mounts: it must tell neither the process nor the episode. A file in the folder, which programs do not see, names the
 * owning process, so that the resources of a killed process can be found and removed.
 */
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRealClock, drawSecret, lazily, sleep } from '#kit'
import { isAlive, type ProcessIdentity, thisProcess, whileLocked } from '#machine/host'
import {
  type Cgroups,
  createCgroups,
  createMemoryFolder,
  findHierarchies,
  memoryFolderOf,
  removeTree,
} from '#machine/linux'
import { removeCgroup } from '#machine/oci'

const TOP_GROUP = 'remedium-sandboxes'
const MEMORY = '/dev/shm'
const FOLDER = /^remedium-(sandbox-[0-9a-f]{32})-[0-9a-f]{8}$/
const OWNER_FILE = 'owner.json'

const POLL_MS = 10
const MAX_END_MS = 5000

const clock = createRealClock({ keepsAlive: true })
/** The control groups of the sandboxes of this process, and the CPU time of those that were removed. */
const openGroups = new Set<string>()
let removedCpuMs = 0

/** The CPU time of all programs in sandboxes of this process, in milliseconds. */
export const sandboxCpuMs = (): number => {
  const cgroups = createCgroups()
  return [...openGroups].reduce((sum, group) => sum + cgroups.usage(group).cpuMs, removedCpuMs)
}

/** The folder in memory is derived from this path; there is no folder on disk. */
const systemNameOf = (id: string): string => join('/', id)

const folderOf = (id: string): string => memoryFolderOf(systemNameOf(id))

const ownerOf = (id: string): ProcessIdentity | undefined => {
  try {
    return JSON.parse(readFileSync(join(folderOf(id), OWNER_FILE), 'utf8'))
  } catch {
    return undefined
  }
}

export interface KnownSandbox {
  readonly id: string
  /** Absent if the owner was killed while it created or removed the folder. */
  readonly owner: ProcessIdentity | undefined
}

/** The sandboxes of all processes that share the folders in memory. Folders are created with their owner under the lock. */
export const listSandboxes = (): KnownSandbox[] =>
  whileLocked(MEMORY, () =>
    readdirSync(MEMORY)
      .flatMap((name) => FOLDER.exec(name)?.[1] ?? [])
      .map((id) => ({ id, owner: ownerOf(id) })),
  )

/** Removes the parent group of all sandboxes. Has no effect while the machine has another sandbox. */
const removeTopGroup = (): void => {
  for (const folder of findHierarchies().folders)
    try {
      rmdirSync(join(folder, TOP_GROUP))
    } catch {
      // It is in use or does not exist.
    }
}

/** The environment variable that identifies a runtime program which was still starting a process. */
const markerOf = (id: string): Readonly<Record<string, string>> => ({ REMEDIUM_SANDBOX: id })

const isMarked = (pid: string, id: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`REMEDIUM_SANDBOX=${id}`)
  } catch {
    // The process has ended.
    return false
  }
}

/** Kills the runtime programs. The processes they started are in the control group or marked as well. */
const killRuntimePrograms = (id: string): void => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    if (isMarked(pid, id))
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // The process has ended.
      }
}

/** Kills the processes, and waits for a limited time until they have ended. */
const endProcesses = async (cgroups: Cgroups, cgroup: string): Promise<void> => {
  for (let waited = 0; cgroups.pids(cgroup).length > 0 && waited < MAX_END_MS; waited += POLL_MS) {
    cgroups.kill(cgroup)
    await sleep(clock, POLL_MS)
  }
}

/** Removes the owner last: until then, another process that ends the removal knows whose folder it is. */
const removeFolder = async (folder: string): Promise<void> => {
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names) if (name !== OWNER_FILE) await removeTree(join(folder, name))
  await removeTree(folder)
}

const removeHome = async (id: string): Promise<void> => {
  const cgroups = createCgroups()
  const cgroup = `${TOP_GROUP}/${id}`
  await endProcesses(cgroups, cgroup)
  // A later program could ask which files of the machine are cached: an earlier one could leave it a message.
  await cgroups.dropCaches(cgroup)
  await removeCgroup(cgroups, cgroup, clock)
  whileLocked(MEMORY, removeTopGroup)
  await removeFolder(folderOf(id))
}

const closeGroup = async (cgroup: string): Promise<void> => {
  const cgroups = createCgroups()
  await endProcesses(cgroups, cgroup)
  removedCpuMs += cgroups.usage(cgroup).cpuMs
  openGroups.delete(cgroup)
}

export interface SandboxHome {
  /** A folder in memory that only root can access. */
  readonly folder: string
  /** The path to pass to `createSystemLayers`, which creates the layers in the folder. */
  readonly systemName: string
  readonly cgroup: string
  /** Environment of the runtime programs. */
  readonly marker: Readonly<Record<string, string>>
  /** Kills all processes and removes everything. */
  remove(): Promise<void>
}

/** Throws if the machine does not permit control groups or folders in memory. */
export const createHome = (): SandboxHome => {
  const id = `sandbox-${drawSecret()}`
  const cgroup = `${TOP_GROUP}/${id}`
  const folder = folderOf(id)
  // The lock prevents another process from removing the folder, which has no owner yet, and the parent group.
  whileLocked(MEMORY, () => {
    createMemoryFolder(systemNameOf(id))
    writeFileSync(join(folder, OWNER_FILE), JSON.stringify(thisProcess()), { mode: 0o600 })
    createCgroups().create(cgroup)
  })
  openGroups.add(cgroup)
  return {
    folder,
    systemName: systemNameOf(id),
    cgroup,
    marker: markerOf(id),
    remove: lazily(async () => {
      await closeGroup(cgroup)
      await removeHome(id)
    }),
  }
}

/** Removes the sandboxes of processes that have ended; returns their number. */
export const sweepSandboxes = async (): Promise<number> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 0
  const orphaned = listSandboxes().filter(({ owner }) => owner === undefined || !isAlive(owner))
  for (const { id } of orphaned) {
    killRuntimePrograms(id)
    await removeHome(id)
  }
  return orphaned.length
}
