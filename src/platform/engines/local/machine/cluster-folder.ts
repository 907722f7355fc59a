/** The folder of a cluster, which records its owner and is claimed atomically. */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { defined } from '#kit'
import { createCgroups, isAlive, type ProcessIdentity, thisProcess } from '#machine/linux'
import { RemediumError } from '#spec'
import { clustersFolder, withStateLock } from './state-folder.ts'

export interface ClusterRecord {
  readonly id: string
  readonly name: string
  /** The system on it, if any. */
  readonly system?: string
  readonly owner: ProcessIdentity
  /** Milliseconds since the epoch. */
  readonly created: number
}

/** Prefix of folders that are not claimed yet, followed by the identity of the owner. */
export const DRAFT_PREFIX = '.half-made-'
const OWNER_FILE = 'owner.json'
const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/i

/** The control group of all clusters of this machine. */
export const TOP_GROUP = 'remedium'
/**
 * With the default weight, all pods together would get only as much CPU as one other session on a busy
 * machine, and their probes would time out. The kubelet also gives pods a weight in proportion to the cores.
 */
const CPU_WEIGHT_PER_CORE = 2
/** The memory limit of all pods of a cluster together, as a share of the machine's memory. */
const MEMORY_SHARE = 0.6
/** The maximum number of processes in all pods of a cluster together. */
const MAX_PROCESSES = 16_384

/** Returns the smaller of the machine's memory and the memory limit of this process, in bytes. */
const usableMemory = (): number => Math.min(totalmem(), process.constrainedMemory() || totalmem())

export const cgroupOf = (id: string): string => `${TOP_GROUP}/${id}`

/** Environment variable of helper programs, by which they are found after their engine has ended. */
export const markerOf = (folder: string): Readonly<Record<string, string>> => ({ REMEDIUM_CLUSTER: folder })

/** The default telemetry file. */
export const telemetryFileOf = (folder: string): string => join(folder, 'telemetry', 'telemetry.sqlite')

const readRecord = (folder: string): ClusterRecord | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, OWNER_FILE), 'utf8'))
  } catch {
    return undefined
  }
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new RemediumError('not-permitted', `The clusters in ${folder} cannot be listed.`, {
      hint: 'Run Remedium as root, or set REMEDIUM_STATE to a folder that you can read.',
      cause,
    })
  }
}

export interface ClusterFolder {
  readonly folder: string
  readonly record: ClusterRecord
  readonly alive: boolean
}

/** Lists claimed folders, oldest first. */
export const listClusterFolders = (state: string): ClusterFolder[] =>
  namesIn(clustersFolder(state))
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => {
      const folder = join(clustersFolder(state), name)
      const record = readRecord(folder)
      return record === undefined ? [] : [{ folder, record, alive: isAlive(record.owner) }]
    })
    .sort((a, b) => a.record.created - b.record.created)

/** Lists unclaimed folders whose owner has ended. */
export const listDrafts = (state: string): string[] =>
  namesIn(clustersFolder(state))
    .filter((name) => name.startsWith(DRAFT_PREFIX))
    .filter((name) => {
      const [pid, startTime] = name.slice(DRAFT_PREFIX.length).split('-').map(Number)
      const { bootId, pidNamespace } = thisProcess()
      return !isAlive({ pid: pid!, startTime: startTime!, bootId, pidNamespace })
    })
    .map((name) => join(clustersFolder(state), name))

/** The prefix of unclaimed folders of this process. They are pruned after the process has ended. */
export const draftPrefix = (state: string): string => {
  const { pid, startTime } = thisProcess()
  return join(clustersFolder(state), `${DRAFT_PREFIX}${pid}-${startTime}-`)
}

const checkName = (state: string, name: string): void => {
  if (!NAME.test(name)) {
    throw new RemediumError('bad-argument', `"${name}" is not a valid cluster name.`, {
      hint: 'Use at most 40 letters, digits and hyphens.',
    })
  }
  if (listClusterFolders(state).some(({ record, alive }) => alive && record.name === name)) {
    throw new RemediumError('bad-argument', `The cluster "${name}" already exists.`, {
      hint: `Stop it with "remedium cluster down ${name}", or choose another name.`,
    })
  }
}

/** Created with the claim, so that no other process removes the parent group. */
const createCgroup = (id: string): void => {
  try {
    const cgroups = createCgroups()
    cgroups.create(cgroupOf(id))
    // Protects other processes of the machine.
    cgroups.limitTotals(cgroupOf(id), {
      memoryBytes: MEMORY_SHARE * usableMemory(),
      processes: MAX_PROCESSES,
    })
    cgroups.setCpuWeight(TOP_GROUP, CPU_WEIGHT_PER_CORE * availableParallelism())
  } catch (cause) {
    throw new RemediumError(
      'not-permitted',
      `Control groups cannot be created on this machine (${(cause as Error).message}).`,
      {
        hint: 'In a container, mount control groups for writing, and keep the root group free of processes.',
        cause,
      },
    )
  }
}

/** Creates the folder under a temporary name, renames it atomically, and creates the control group. */
export const claimClusterFolder = (
  state: string,
  { name, system, created }: { name: string | undefined; system: string | undefined; created: number },
): ClusterFolder =>
  withStateLock(state, () => {
    if (name !== undefined) checkName(state, name)
    const prefix = draftPrefix(state)
    const draft = mkdtempSync(prefix)
    const id = draft.slice(prefix.length)
    const folder = join(clustersFolder(state), id)
    try {
      const record: ClusterRecord = {
        id,
        name: name ?? id,
        ...defined({ system }),
        owner: thisProcess(),
        created,
      }
      writeFileSync(join(draft, OWNER_FILE), JSON.stringify(record))
      renameSync(draft, folder)
      createCgroup(id)
      return { folder, record, alive: true }
    } catch (error) {
      createCgroups().remove(cgroupOf(id))
      for (const path of [draft, folder]) rmSync(path, { recursive: true, force: true })
      throw error
    }
  })
