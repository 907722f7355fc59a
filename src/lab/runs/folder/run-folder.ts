/** Opens the folder of a run, which holds its plan and its results and is locked by one process. */
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { deepEqual, giveToCaller } from '#kit'
import {
  DRAFT_SUFFIX,
  isProbe,
  type LineFile,
  makeFolder,
  openLineFile,
  readLineFile,
  replaceFile,
} from '#lab/records'
import { tryLock } from '#machine/host'
import { type EpisodeResult, RemediumError, type RunManifest, type RunSettings } from '#spec'
import { parseResults, readManifest } from './parse-run.ts'

export const runPaths = (folder: string) => ({
  manifest: join(folder, 'manifest.json'),
  results: join(folder, 'results.jsonl'),
  records: join(folder, 'records'),
  telemetry: join(folder, 'telemetry'),
  summary: join(folder, 'summary.json'),
})

export interface RunFolder {
  readonly path: string
  readonly manifest: RunManifest
  /** The last result of each episode, in the order in which they ended. */
  readonly results: readonly EpisodeResult[]
  /** The result is on disk when this returns. */
  add(result: EpisodeResult): void
  writeSummary(summary: unknown): void
  close(): void
}

/** The fields that define a run, with their names in errors. A run cannot be resumed if one differs. */
const DEFINING_FIELDS: readonly (readonly [keyof RunManifest, string])[] = [
  ['problems', 'problems'],
  ['contenders', 'agents or models'],
  ['epochs', 'number of epochs'],
  ['engine', 'engine'],
  ['seed', 'seed'],
  ['rollback', 'rollback'],
  ['settings', 'settings'],
]

/**
 * Omits two settings that may differ: manifests of older versions do not contain the folder of an external agent, and
 * MicroRemed's check affects neither agents nor verdicts.
 */
const withComparableSettings = (manifest: RunManifest): RunManifest => {
  const { externalFolder: _, checksLikeMicroRemed: __, ...settings } = manifest.settings
  return { ...manifest, settings }
}

/** The same command line can start another program in another folder. */
const rejectOtherFolder = (path: string, stored: RunManifest, planned: RunManifest): void => {
  const [storedFolder, plannedFolder] = [stored.settings.externalFolder, planned.settings.externalFolder]
  if (storedFolder === undefined || storedFolder === plannedFolder) return
  throw new RemediumError(
    'bad-argument',
    `The run in ${path} starts its external agent in ${storedFolder}, not in ${plannedFolder}.`,
    { hint: `Resume it with --resume ${path}, or name another folder with --out.` },
  )
}

/** Describes the first setting that differs. */
const describeDifference = (stored: RunSettings, planned: RunSettings): string => {
  const names = Object.keys({ ...stored, ...planned }) as (keyof RunSettings)[]
  const name = names.find((one) => !deepEqual(stored[one], planned[one]))!
  const textOf = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value))
  return `${name} is ${textOf(stored[name])} in the folder and ${textOf(planned[name])} in the command`
}

const rejectOtherPlan = (
  path: string,
  stored: RunManifest,
  planned: RunManifest,
  anyCommit: boolean,
): void => {
  const comparable = withComparableSettings(stored)
  const comparablePlan: RunManifest = JSON.parse(JSON.stringify(withComparableSettings(planned)))
  for (const [field, name] of DEFINING_FIELDS) {
    if (deepEqual(comparable[field], comparablePlan[field])) continue
    const detail =
      field === 'settings' ? `: ${describeDifference(comparable.settings, comparablePlan.settings)}` : ''
    throw new RemediumError(
      'bad-argument',
      `The run in ${path} has a different plan: other ${name}${detail}.`,
      {
        hint: `Name another folder with --out, or resume the run with --resume ${path}.`,
      },
    )
  }
  rejectOtherFolder(path, stored, planned)
  rejectOtherCommit(path, stored, planned.commit, anyCommit)
}

/** Verdicts of different versions are not comparable. */
const rejectOtherCommit = (
  path: string,
  { commit: stored }: RunManifest,
  commit: string,
  anyCommit: boolean,
): void => {
  if (stored === commit || anyCommit) return
  throw new RemediumError(
    'bad-argument',
    `The run in ${path} was started with the commit "${stored}", not "${commit}".`,
    { hint: 'Start another run, or give --any-commit to mix both commits in one run.' },
  )
}

/** The folder contains the answers, which agents on this machine must not read. */
const restrictAccess = (path: string): void => chmodSync(path, 0o700)

const rejectForeignFiles = (path: string): void => {
  const other = readdirSync(path).find(
    (name) => !name.endsWith(DRAFT_SUFFIX) && name !== 'records' && !isProbe(name),
  )
  if (other !== undefined)
    throw new RemediumError('bad-argument', `The folder ${path} contains other files: ${other}.`, {
      hint: 'Name a new or an empty folder with --out.',
    })
}

const createRun = (path: string, manifest: RunManifest): RunManifest => {
  const paths = runPaths(path)
  rejectForeignFiles(path)
  restrictAccess(path)
  makeFolder(paths.records, '--out')
  replaceFile(paths.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`)
  return readManifest(paths.manifest)
}

/** Removes unfinished files and records of killed processes. */
const removeDrafts = (path: string): void => {
  const { records } = runPaths(path)
  for (const folder of [path, records])
    for (const name of readdirSync(folder))
      if (name.endsWith(DRAFT_SUFFIX)) rmSync(join(folder, name), { force: true })
}

const toRunFolder = (path: string, manifest: RunManifest, file: LineFile): RunFolder => {
  const paths = runPaths(path)
  const results = new Map(parseResults(file.values, paths.results).map((one) => [one.episode, one]))
  return {
    path,
    manifest,
    get results() {
      return [...results.values()]
    },
    add(result) {
      file.add(result)
      results.delete(result.episode)
      results.set(result.episode, result)
    },
    writeSummary: (summary) => replaceFile(paths.summary, `${JSON.stringify(summary, undefined, 2)}\n`),
    close: () => file.close(),
  }
}

export interface OpenRunOptions {
  /** The plan of the run; by default the manifest of the folder. */
  readonly manifest?: RunManifest | undefined
  /** The commit of this program. */
  readonly commit: string
  readonly anyCommit?: boolean
}

const rejectMismatch = (path: string, stored: RunManifest, options: OpenRunOptions): void => {
  const { manifest: planned, commit, anyCommit = false } = options
  if (planned === undefined) rejectOtherCommit(path, stored, commit, anyCommit)
  else rejectOtherPlan(path, stored, planned, anyCommit)
}

/** Creates a run in the folder, or resumes the existing one. */
export const openRunFolder = (path: string, options: OpenRunOptions): RunFolder => {
  const { manifest: planned } = options
  const paths = runPaths(path)
  if (planned === undefined && !existsSync(paths.manifest))
    throw new RemediumError('bad-argument', `There is no run in ${path}.`)
  makeFolder(path, planned === undefined ? undefined : '--out')
  const lock = tryLock(path)
  if (lock === undefined)
    throw new RemediumError('bad-argument', `Another process uses the run in ${path}.`, {
      hint: 'Wait for it, or stop it first.',
    })
  try {
    const exists = existsSync(paths.manifest)
    if (exists) restrictAccess(path)
    const manifest = exists ? readManifest(paths.manifest) : createRun(path, planned!)
    rejectMismatch(path, manifest, options)
    makeFolder(paths.records, undefined)
    removeDrafts(path)
    const folder = toRunFolder(path, manifest, openLineFile(paths.results))
    return {
      ...folder,
      get results() {
        return folder.results
      },
      close() {
        folder.close()
        // All workers have ended; a killed one may have left an unfinished record.
        if (existsSync(paths.records)) removeDrafts(path)
        giveToCaller(path)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Reads a run without locking it; the run may continue in the meantime. */
export const readRun = (path: string): { manifest: RunManifest; results: EpisodeResult[] } => {
  const paths = runPaths(path)
  if (!existsSync(paths.manifest)) throw new RemediumError('bad-argument', `There is no run in ${path}.`)
  const lines = existsSync(paths.results) ? readLineFile(paths.results) : []
  return { manifest: readManifest(paths.manifest), results: parseResults(lines, paths.results) }
}

/** Returns the plan and the results that `openRunFolder` would start with, or throws its errors. Changes nothing. */
export const previewRun = (path: string, options: OpenRunOptions): ReturnType<typeof readRun> => {
  const { manifest } = options
  if (manifest !== undefined && !existsSync(runPaths(path).manifest)) {
    if (existsSync(path)) rejectForeignFiles(path)
    return { manifest, results: [] }
  }
  const stored = readRun(path)
  rejectMismatch(path, stored.manifest, options)
  return stored
}
