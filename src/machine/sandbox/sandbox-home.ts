/**
 * The resources of a sandbox on this machine: a folder in memory and a control group. They are named after the owning
 * process, so that those of a killed process can be found and removed.
 */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRealClock, lazily, sleep } from '#kit'
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
/** The pid namespace, the pid, the start time and the number of the sandbox. */
const ID = /^sandbox-(\d+)-(\d+)-(\d+)-(\d+)$/
const FOLDER = /^remedium-(sandbox-[\d-]+)-[0-9a-f]{8}$/

const POLL_MS = 10
const MAX_END_MS = 5000

const clock = createRealClock({ keepsAlive: true })
const namespaceNumber = (namespace: string): string => namespace.replace(/\D/g, '')

let created = 0
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

const newId = (): string => {
  const { pid, startTime, pidNamespace } = thisProcess()
  created += 1
  return `sandbox-${namespaceNumber(pidNamespace)}-${pid}-${startTime}-${created}`
}

/** Undefined for other names, and for processes of other pid namespaces. */
const ownerOf = (id: string): ProcessIdentity | undefined => {
  const [, namespace, pid, startTime] = ID.exec(id) ?? []
  const { bootId, pidNamespace } = thisProcess()
  if (namespace !== namespaceNumber(pidNamespace)) return undefined
  return { pid: Number(pid), startTime: Number(startTime), bootId, pidNamespace }
}

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

const removeHome = async (id: string): Promise<void> => {
  const cgroups = createCgroups()
  const cgroup = `${TOP_GROUP}/${id}`
  await endProcesses(cgroups, cgroup)
  // A later program could ask which files of the machine are cached: an earlier one could leave it a message.
  await cgroups.dropCaches(cgroup)
  await removeCgroup(cgroups, cgroup, clock)
  whileLocked(MEMORY, removeTopGroup)
  await removeTree(memoryFolderOf(systemNameOf(id)))
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
  const id = newId()
  const cgroup = `${TOP_GROUP}/${id}`
  const folder = createMemoryFolder(systemNameOf(id))
  // The lock prevents another process from removing the parent group.
  whileLocked(MEMORY, () => createCgroups().create(cgroup))
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
  const inMemory = readdirSync(MEMORY).flatMap((name) => FOLDER.exec(name)?.[1] ?? [])
  const orphaned = [...new Set([...inMemory, ...createCgroups().children(TOP_GROUP)])].filter((id) => {
    const owner = ownerOf(id)
    return owner !== undefined && !isAlive(owner)
  })
  for (const id of orphaned) {
    killRuntimePrograms(id)
    await removeHome(id)
  }
  return orphaned.length
}
