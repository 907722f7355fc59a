/**
 * Where a sandbox lives on this machine: a folder in memory and a control group, named by the process that owns them, so
 * that what a killed process leaves is known for what it is.
 */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRealClock, lazily } from '../kit/index.ts'
import {
  createCgroups,
  findHierarchies,
  isAlive,
  makeMemoryFolder,
  memoryFolderOf,
  type ProcessIdentity,
  removeTree,
  thisProcess,
  whileLocked,
} from '../linux/index.ts'
import { removeCgroup } from '../oci/index.ts'

const TOP_GROUP = 'remedium-sandboxes'
const MEMORY = '/dev/shm'
/** Namespace of processes, process, when it began, and which of its sandboxes. */
const ID = /^sandbox-(\d+)-(\d+)-(\d+)-(\d+)$/
const FOLDER = /^remedium-(sandbox-[\d-]+)-[0-9a-f]{8}$/

const clock = createRealClock({ keepsAlive: true })
const namespaceNumber = (namespace: string): string => namespace.replace(/\D/g, '')

let made = 0

/** Its folder in memory comes from its name alone; there is nothing of it on disk. */
const placeOf = (id: string): string => join('/', id)

const newId = (): string => {
  const { pid, startTime, pidNamespace } = thisProcess()
  made += 1
  return `sandbox-${namespaceNumber(pidNamespace)}-${pid}-${startTime}-${made}`
}

/** Undefined for names that are not ours, and for those of processes that cannot be seen from here. */
const ownerOf = (id: string): ProcessIdentity | undefined => {
  const [, namespace, pid, startTime] = ID.exec(id) ?? []
  const { bootId, pidNamespace } = thisProcess()
  if (namespace !== namespaceNumber(pidNamespace)) return undefined
  return { pid: Number(pid), startTime: Number(startTime), bootId, pidNamespace }
}

/** Only when the last sandbox of the machine is gone. */
const removeTopGroup = (): void => {
  for (const folder of findHierarchies().folders)
    try {
      rmdirSync(join(folder, TOP_GROUP))
    } catch {
      // Others are in it, or it is gone already.
    }
}

/** By this, in its environment, a runtime program is found that was just about to start something. */
const markerOf = (id: string): Readonly<Record<string, string>> => ({ REMEDIUM_SANDBOX: id })

const isMarked = (pid: string, id: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`REMEDIUM_SANDBOX=${id}`)
  } catch {
    // Ended meanwhile.
    return false
  }
}

/** What the runtime program itself has begun is in the control group, or marked as well. */
const endStarters = (id: string): void => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    if (isMarked(pid, id))
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // Ended meanwhile.
      }
}

const removeHome = async (id: string): Promise<void> => {
  await removeCgroup(createCgroups(), `${TOP_GROUP}/${id}`, clock)
  whileLocked(MEMORY, removeTopGroup)
  await removeTree(memoryFolderOf(placeOf(id)))
}

export interface SandboxHome {
  /** Of memory; nobody but root may look into it. */
  readonly folder: string
  /** The name by which layers of a system are made in it. */
  readonly place: string
  readonly cgroup: string
  /** Environment of the programs that start what runs in it. */
  readonly marker: Readonly<Record<string, string>>
  /** Ends what still runs in it, and leaves nothing. */
  remove(): Promise<void>
}

/** Throws where the machine lets nobody make control groups or folders in memory. */
export const claimHome = (): SandboxHome => {
  const id = newId()
  const cgroup = `${TOP_GROUP}/${id}`
  const folder = makeMemoryFolder(placeOf(id))
  // Nobody takes away the group above it meanwhile.
  whileLocked(MEMORY, () => createCgroups().create(cgroup))
  return { folder, place: placeOf(id), cgroup, marker: markerOf(id), remove: lazily(() => removeHome(id)) }
}

/** Ends and removes the sandboxes of processes that are no more; gives how many there were. */
export const sweepSandboxes = async (): Promise<number> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 0
  const inMemory = readdirSync(MEMORY).flatMap((name) => FOLDER.exec(name)?.[1] ?? [])
  const dead = [...new Set([...inMemory, ...createCgroups().children(TOP_GROUP)])].filter((id) => {
    const owner = ownerOf(id)
    return owner !== undefined && !isAlive(owner)
  })
  for (const id of dead) {
    endStarters(id)
    await removeHome(id)
  }
  return dead.length
}
