/** The folder of a run: what is to be done, what was done, and nobody else at it meanwhile. */
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { deepEqual } from '../../kit/index.ts'
import { tryLock } from '../../linux/index.ts'
import { type EpisodeResult, RemediumError, type RunManifest, type RunSettings } from '../../spec/index.ts'
import { DRAFT_SUFFIX } from '../records/keep-record.ts'
import { type LineFile, openLineFile, readLineFile } from './line-file.ts'
import { isTrial, makeFolder } from './make-folder.ts'
import { parseResults, readManifest } from './parse-run.ts'
import { writeWhole } from './write-whole.ts'

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
  /** Of each episode the last, in the order in which they ended. */
  readonly results: readonly EpisodeResult[]
  /** On disk when it returns. */
  add(result: EpisodeResult): void
  writeSummary(summary: unknown): void
  close(): void
}

/** What makes it another run, with how people know it. */
const DEFINING: readonly (readonly [keyof RunManifest, string])[] = [
  ['problems', 'problems'],
  ['contenders', 'agents or models'],
  ['epochs', 'number of epochs'],
  ['engine', 'engine'],
  ['seed', 'seed'],
  ['rollback', 'way of rolling back'],
  ['settings', 'settings'],
]

/** Without the folder of an external agent, which runs of before do not say. */
const placeless = (manifest: RunManifest): RunManifest => {
  const { externalFolder: _, ...settings } = manifest.settings
  return { ...manifest, settings }
}

/** The same words typed elsewhere may mean another program. */
const refuseOtherPlace = (path: string, kept: RunManifest, wanted: RunManifest): void => {
  const [there, here] = [kept.settings.externalFolder, wanted.settings.externalFolder]
  if (there === undefined || there === here) return
  throw new RemediumError(
    'bad-argument',
    `The run in ${path} starts its external agent in ${there}, not in ${here}.`,
    { hint: `Give --resume ${path} alone to go on with it there, or take another folder with --out.` },
  )
}

/** The first that differs, by its name in the manifest. */
const otherSetting = (there: RunSettings, here: RunSettings): string => {
  const names = Object.keys({ ...there, ...here }) as (keyof RunSettings)[]
  const name = names.find((one) => !deepEqual(there[one], here[one]))!
  const textOf = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value))
  return `${name} is ${textOf(there[name])} there, and ${textOf(here[name])} here`
}

const refuseMixture = (path: string, kept: RunManifest, wanted: RunManifest, anyCommit: boolean): void => {
  const there = placeless(kept)
  const here: RunManifest = JSON.parse(JSON.stringify(placeless(wanted)))
  for (const [field, words] of DEFINING) {
    if (deepEqual(there[field], here[field])) continue
    const which = field === 'settings' ? `: ${otherSetting(there.settings, here.settings)}` : ''
    throw new RemediumError('bad-argument', `The run in ${path} is one of other ${words}${which}.`, {
      hint: `Take another folder with --out, or give --resume ${path} alone to go on with it.`,
    })
  }
  refuseOtherPlace(path, kept, wanted)
  refuseOtherCommit(path, kept, wanted.commit, anyCommit)
}

/** Verdicts of different programs do not belong in one table. */
export const refuseOtherCommit = (
  path: string,
  { commit: kept }: RunManifest,
  commit: string,
  anyCommit: boolean,
): void => {
  if (kept === commit || anyCommit) return
  throw new RemediumError(
    'bad-argument',
    `The run in ${path} is of the commit "${kept}", not of "${commit}".`,
    {
      hint: 'Begin another run, or give --any-commit to go on with both in one.',
    },
  )
}

/** It tells the answers, which agents that run on this machine must not read. */
const hide = (path: string): void => chmodSync(path, 0o700)

const refuseStrange = (path: string): void => {
  const other = readdirSync(path).find(
    (name) => !name.endsWith(DRAFT_SUFFIX) && name !== 'records' && !isTrial(name),
  )
  if (other !== undefined)
    throw new RemediumError('bad-argument', `The folder ${path} holds something that is no run: ${other}.`, {
      hint: 'Name an empty or a new one with --out.',
    })
}

const begin = (path: string, manifest: RunManifest): RunManifest => {
  const paths = runPaths(path)
  refuseStrange(path)
  hide(path)
  makeFolder(paths.records, '--out')
  writeWhole(paths.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`)
  return readManifest(paths.manifest)
}

/** What workers that were killed have begun. */
const removeDrafts = (path: string): void => {
  const { records } = runPaths(path)
  for (const folder of [path, records])
    for (const name of readdirSync(folder))
      if (name.endsWith(DRAFT_SUFFIX)) rmSync(join(folder, name), { force: true })
}

const keepResults = (path: string, manifest: RunManifest, file: LineFile): RunFolder => {
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
    writeSummary: (summary) => writeWhole(paths.summary, `${JSON.stringify(summary, undefined, 2)}\n`),
    close: () => file.close(),
  }
}

export interface OpenRunOptions {
  /** What is to be done; what the folder says where absent. */
  readonly manifest?: RunManifest | undefined
  /** Of the program that goes on. */
  readonly commit: string
  readonly anyCommit?: boolean
}

const refuseOther = (path: string, kept: RunManifest, options: OpenRunOptions): void => {
  const { manifest: wanted, commit, anyCommit = false } = options
  if (wanted === undefined) refuseOtherCommit(path, kept, commit, anyCommit)
  else refuseMixture(path, kept, wanted, anyCommit)
}

/** Begins a run in the folder, or goes on with the one that is in it. */
export const openRunFolder = (path: string, options: OpenRunOptions): RunFolder => {
  const { manifest: wanted } = options
  const paths = runPaths(path)
  if (wanted === undefined && !existsSync(paths.manifest))
    throw new RemediumError('bad-argument', `There is no run in ${path}.`)
  makeFolder(path, wanted === undefined ? undefined : '--out')
  const lock = tryLock(path)
  if (lock === undefined)
    throw new RemediumError('bad-argument', `Another process is at the run in ${path}.`, {
      hint: 'Wait for it, or end it first.',
    })
  try {
    const isThere = existsSync(paths.manifest)
    if (isThere) hide(path)
    const manifest = isThere ? readManifest(paths.manifest) : begin(path, wanted!)
    refuseOther(path, manifest, options)
    makeFolder(paths.records, undefined)
    removeDrafts(path)
    const folder = keepResults(path, manifest, openLineFile(paths.results))
    return {
      ...folder,
      get results() {
        return folder.results
      },
      close() {
        folder.close()
        // Workers have ended by now, perhaps before they could clear away.
        if (existsSync(paths.records)) removeDrafts(path)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** For those who only look; the run may go on meanwhile. */
export const readRun = (path: string): { manifest: RunManifest; results: EpisodeResult[] } => {
  const paths = runPaths(path)
  if (!existsSync(paths.manifest)) throw new RemediumError('bad-argument', `There is no run in ${path}.`)
  const lines = existsSync(paths.results) ? readLineFile(paths.results) : []
  return { manifest: readManifest(paths.manifest), results: parseResults(lines, paths.results) }
}

/** What a run in the folder would begin with: refuses what `openRunFolder` would, and changes nothing. */
export const foreseeRun = (path: string, options: OpenRunOptions): ReturnType<typeof readRun> => {
  const { manifest } = options
  if (manifest !== undefined && !existsSync(runPaths(path).manifest)) {
    if (existsSync(path)) refuseStrange(path)
    return { manifest, results: [] }
  }
  const kept = readRun(path)
  refuseOther(path, kept.manifest, options)
  return kept
}
