/** A series of MicroRemed's experiments: a run of ours, with its conversation files and its summary beside it. */
import { mkdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunFolder, RunSummary } from '../../runs/index.ts'
import { type EpisodeResult, type Problem, RemediumError, type RunSettings } from '../../spec/index.ts'

/** Of its own methods ours have other names. */
const METHODS: Readonly<Record<string, string>> = { SoloGen: 'solo-gen', ThinkRemed: 'think-remed' }

export interface Series {
  readonly title: string
  readonly problems: readonly Problem[]
  /** One of MicroRemed's, or an agent of ours. */
  readonly method: string
  readonly model: string | undefined
  readonly settings: RunSettings
  readonly workers: number
  readonly seed: string | undefined
  /** The folder of the run. */
  readonly out: string
  /** The folder for conversation files. */
  readonly savePath: string
  readonly anyCommit: boolean
  readonly command: string
  readonly root: string
  progress(line: string): void
}

export interface PlayedSeries {
  readonly folder: string
  readonly summary: RunSummary
  /** In MicroRemed's words. */
  readonly text: string
}

const openSeries = async (series: Series): Promise<RunFolder> => {
  const { chooseContenders } = await import('../runs/choose-contenders.ts')
  const { checkContenders } = await import('../runs/check-contenders.ts')
  const { knownAgents } = await import('../runs/known-agents.ts')
  const { makeManifest } = await import('../runs/make-manifest.ts')
  const { openRunFolder } = await import('../../runs/index.ts')
  const { lendKey, readModelName } = await import('./read-model-name.ts')
  const { problems, title, method, model, settings, seed, command, root } = series
  const agent = METHODS[method] ?? method
  const name = model === undefined ? undefined : readModelName(model)
  if (name !== undefined) lendKey(name)
  const known = await knownAgents()
  const asksModel = known.some((one) => one.name === agent && one.roles.length > 0)
  const contenders = chooseContenders(
    { agent: [agent], model: asksModel && name !== undefined ? [name] : [] },
    known,
  )
  await checkContenders(contenders, settings)
  const manifest = makeManifest({
    ...{ suites: [title], problems, suiteOf: Object.fromEntries(problems.map(({ id }) => [id, title])) },
    ...{ contenders, epochs: 1, seed, rollback: 'never', settings, command, root },
  })
  return openRunFolder(resolve(series.out), {
    manifest,
    commit: manifest.commit,
    anyCommit: series.anyCommit,
  })
}

const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true })
  } catch (cause) {
    throw new RemediumError('bad-argument', `The folder ${path} cannot be made.`, { cause })
  }
}

export const playExperiments = async (series: Series): Promise<PlayedSeries> => {
  const { executeRun } = await import('../runs/execute-run.ts')
  const runs = await import('../../runs/index.ts')
  const { parseRecord } = await import('../../episode/index.ts')
  const folder = await openSeries(series)
  const { records } = runs.runPaths(folder.path)
  const eventsOf = (episode: string) => {
    const path = runs.recordPathOf(records, episode)
    return parseRecord(readFileSync(path, 'utf8'), path)
  }
  const numbers = new Map(series.problems.map(({ id }, index) => [id, index]))
  const keep = (result: EpisodeResult): void => {
    if (result.outcome === 'void') return
    const number = numbers.get(result.problem)!
    const name = runs.conversationName(series.problems[number]!, result.categories[0] ?? 'none', number)
    runs.writeConversation(series.savePath, name, runs.toConversationFile(result, eventsOf(result.episode)))
  }
  try {
    makeFolder(series.savePath)
    const { workers, root, progress } = series
    const summary = await executeRun(folder, { workers, root, progress, onEpisode: keep })
    // Those too that had ended before this process began.
    for (const result of folder.results) keep(result)
    const experiments = folder.results.map((result) => ({
      result,
      attempts: result.outcome === 'void' ? 0 : runs.attemptsIn(eventsOf(result.episode)),
    }))
    return { folder: folder.path, summary, text: runs.experimentSummary(experiments) }
  } finally {
    folder.close()
  }
}
