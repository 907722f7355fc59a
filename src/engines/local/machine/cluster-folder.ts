/** The folder of a cluster: claimed in one step, and it says whose it is. */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { createCgroups, isAlive, type ProcessIdentity, thisProcess } from '../../../linux/index.ts'
import { RemediumError } from '../../../spec/index.ts'

import { clustersFolder, whileStateLocked } from './state-folder.ts'

export interface ClusterRecord {
  readonly id: string
  readonly name: string
  /** The system on it, if any. */
  readonly system?: string
  readonly owner: ProcessIdentity
  /** Milliseconds since the epoch. */
  readonly created: number
}

/** Folders that are not claimed yet begin with it; after it comes whose they are. */
export const HALF_MADE = '.half-made-'
const OWNER_FILE = 'owner.json'
const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/i

/** The group of all clusters of this machine. */
export const TOP_GROUP = 'remedium'
/**
 * All pods of all clusters together would get what one other session of a busy machine gets, and miss the second that
 * probes give them. A kubelet's pods weigh as much for each core as all else does.
 */
const WEIGHT_PER_CORE = 2
/** Of the machine's memory, for all pods of a cluster together; and how many processes they may be. */
const MEMORY_SHARE = 0.6
const MOST_PROCESSES = 16_384

/** Bytes: the machine's, or what this process may have of it. */
const usableMemory = (): number => Math.min(totalmem(), process.constrainedMemory() || totalmem())

export const cgroupOf = (id: string): string => `${TOP_GROUP}/${id}`

/** By this, in their environment, helper programs of a cluster are found when their engine has died. */
export const markerOf = (folder: string): Readonly<Record<string, string>> => ({ REMEDIUM_CLUSTER: folder })

/** Where the telemetry of its system is, unless it was wanted elsewhere. */
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
    throw new RemediumError('not-permitted', `What clusters there are in ${folder} cannot be read.`, {
      hint: 'Run Remedium as root, or name a folder of your own in REMEDIUM_STATE.',
      cause,
    })
  }
}

export interface ClusterFolder {
  readonly folder: string
  readonly record: ClusterRecord
  readonly alive: boolean
}

/** Those that were claimed, oldest first. */
export const listClusterFolders = (state: string): ClusterFolder[] =>
  namesIn(clustersFolder(state))
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => {
      const folder = join(clustersFolder(state), name)
      const record = readRecord(folder)
      return record === undefined ? [] : [{ folder, record, alive: isAlive(record.owner) }]
    })
    .sort((a, b) => a.record.created - b.record.created)

/** What was left before it was claimed, by makers that are no more. */
export const listHalfMade = (state: string): string[] =>
  namesIn(clustersFolder(state))
    .filter((name) => name.startsWith(HALF_MADE))
    .filter((name) => {
      const [pid, startTime] = name.slice(HALF_MADE.length).split('-').map(Number)
      const { bootId, pidNamespace } = thisProcess()
      return !isAlive({ pid: pid!, startTime: startTime!, bootId, pidNamespace })
    })
    .map((name) => join(clustersFolder(state), name))

/** A path for something half made, which is left over when this process has died. */
export const halfMadePrefix = (state: string): string => {
  const { pid, startTime } = thisProcess()
  return join(clustersFolder(state), `${HALF_MADE}${pid}-${startTime}-`)
}

const checkName = (state: string, name: string): void => {
  if (!NAME.test(name)) {
    throw new RemediumError('bad-argument', `"${name}" cannot be the name of a cluster.`, {
      hint: 'Take at most 40 letters, digits and hyphens.',
    })
  }
  if (listClusterFolders(state).some(({ record, alive }) => alive && record.name === name)) {
    throw new RemediumError('bad-argument', `There is a cluster "${name}" already.`, {
      hint: `End it with "remedium cluster down ${name}", or take another name.`,
    })
  }
}

/** Held from the first moment, so that nobody takes away the group above it. */
const makeGroup = (id: string): void => {
  try {
    const cgroups = createCgroups()
    cgroups.create(cgroupOf(id))
    // What pods do there must not end what else there is on the machine.
    cgroups.limitTotals(cgroupOf(id), {
      memoryBytes: MEMORY_SHARE * usableMemory(),
      processes: MOST_PROCESSES,
    })
    cgroups.weighCpu(TOP_GROUP, WEIGHT_PER_CORE * availableParallelism())
  } catch (cause) {
    throw new RemediumError(
      'not-permitted',
      `This machine lets nobody make control groups (${(cause as Error).message}).`,
      {
        hint: 'In a container they must be mounted for writing, and nobody may be in the topmost group.',
        cause,
      },
    )
  }
}

/** Makes the folder aside and puts it in place in one step, together with the cluster's control group. */
export const claimClusterFolder = (
  state: string,
  { name, system, created }: { name: string | undefined; system: string | undefined; created: number },
): ClusterFolder =>
  whileStateLocked(state, () => {
    if (name !== undefined) checkName(state, name)
    const prefix = halfMadePrefix(state)
    const draft = mkdtempSync(prefix)
    const id = draft.slice(prefix.length)
    const folder = join(clustersFolder(state), id)
    try {
      const record: ClusterRecord = {
        id,
        name: name ?? id,
        ...(system === undefined ? {} : { system }),
        owner: thisProcess(),
        created,
      }
      writeFileSync(join(draft, OWNER_FILE), JSON.stringify(record))
      renameSync(draft, folder)
      makeGroup(id)
      return { folder, record, alive: true }
    } catch (error) {
      createCgroups().remove(cgroupOf(id))
      for (const path of [draft, folder]) rmSync(path, { recursive: true, force: true })
      throw error
    }
  })
