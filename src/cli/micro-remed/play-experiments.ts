/** A series of MicroRemed's experiments: a run of ours, with its conversation files and its summary beside it. */
import { resolve } from 'node:path'
import type { RunFolder, RunSummary } from '../../runs/index.ts'
import type { EpisodeResult, Problem, RunSettings } from '../../spec/index.ts'

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
  /** The folder of the run, and where the user has named it. */
  readonly out: string
  readonly outOption: string
  /** The folder for conversation files. */
  readonly savePath: string
  readonly savePathOption: string
  readonly anyCommit: boolean
  /** A sentence on how to go on with it, conversation files and all. */
  readonly goOn: string
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

const openSeries = async (series: Series): Promise<{ folder: RunFolder; kubectl: string | undefined }> => {
  const { chooseContenders } = await import('../runs/choose-contenders.ts')
  const { checkContenders } = await import('../runs/check-contenders.ts')
  const { knownAgents } = await import('../runs/known-agents.ts')
  const { makeManifest } = await import('../runs/make-manifest.ts')
  const { prepareMachine } = await import('../runs/prepare-machine.ts')
  const { checkFolder, openRunFolder } = await import('../../runs/index.ts')
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
  // Everything that can be wrong is said before there is a folder.
  checkFolder(series.savePath, series.savePathOption)
  checkFolder(series.out, series.outOption)
  const kubectl = await prepareMachine(series.out, root, series.progress)
  const { commit } = manifest
  const folder = openRunFolder(resolve(series.out), { manifest, commit, anyCommit: series.anyCommit })
  return { folder, kubectl }
}

export const playExperiments = async (series: Series): Promise<PlayedSeries> => {
  const { executeRun } = await import('../runs/execute-run.ts')
  const runs = await import('../../runs/index.ts')
  const { readRecord } = await import('../../episode/index.ts')
  const { folder, kubectl } = await openSeries(series)
  const { records } = runs.runPaths(folder.path)
  const eventsOf = (episode: string) => readRecord(runs.recordPathOf(records, episode))
  const numbers = new Map(series.problems.map(({ id }, index) => [id, index]))
  const keep = (result: EpisodeResult): void => {
    if (result.outcome === 'void') return
    const number = numbers.get(result.problem)!
    const name = runs.conversationName(series.problems[number]!, result.categories[0] ?? 'none', number)
    runs.writeConversation(series.savePath, name, runs.toConversationFile(result, eventsOf(result.episode)))
  }
  try {
    runs.makeFolder(series.savePath, series.savePathOption)
    const { workers, goOn, progress } = series
    const summary = await executeRun(folder, { workers, kubectl, goOn, progress, onEpisode: keep })
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
