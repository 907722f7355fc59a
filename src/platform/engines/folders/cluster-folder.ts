/** The folder of a cluster, which records its owner and is claimed atomically. */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '#kit'
import { isAlive, type ProcessIdentity, thisProcess } from '#machine/host'
import { type EngineName, RemediumError } from '#spec'
import { clustersFolder, withStateLock } from './state-folder.ts'

export interface ClusterRecord {
  readonly id: string
  readonly name: string
  /** The system on it, if any. */
  readonly system?: string
  /** Absent in folders of older versions, which are those of the engine `local`. */
  readonly engine?: EngineName
  readonly owner: ProcessIdentity
  /** Milliseconds since the epoch. */
  readonly created: number
}

/** Prefix of folders that are not claimed yet, followed by the identity of the owner. */
export const DRAFT_PREFIX = '.half-made-'
const OWNER_FILE = 'owner.json'
const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/i

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

/** The resources that an engine keeps outside the folder. Both functions are called under the lock of the state folder. */
export interface ClaimSteps {
  claim(id: string): void
  /** Called if the claim fails. */
  undo(id: string): void
}

const NO_STEPS: ClaimSteps = { claim() {}, undo() {} }

export interface ClaimRequest {
  readonly engine: EngineName
  readonly name: string | undefined
  readonly system: string | undefined
  /** Milliseconds since the epoch. */
  readonly created: number
}

/** Creates the folder under a temporary name, and renames it atomically. */
export const claimClusterFolder = (
  state: string,
  { engine, name, system, created }: ClaimRequest,
  steps: ClaimSteps = NO_STEPS,
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
        engine,
        owner: thisProcess(),
        created,
      }
      writeFileSync(join(draft, OWNER_FILE), JSON.stringify(record))
      renameSync(draft, folder)
      steps.claim(id)
      return { folder, record, alive: true }
    } catch (error) {
      steps.undo(id)
      for (const path of [draft, folder]) rmSync(path, { recursive: true, force: true })
      throw error
    }
  })
