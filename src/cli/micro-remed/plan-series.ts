/** What a series of MicroRemed's experiments is to do, and whether it can be done; nothing is begun with it. */
import type { Problem, RunManifest, RunSettings } from '../../spec/index.ts'

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
  /** The file for the summary in MicroRemed's words; it is only printed where absent. */
  readonly log?: string
  readonly anyCommit: boolean
  /** A sentence on how to go on with it, conversation files and all. */
  readonly goOn: string
  readonly command: string
  readonly root: string
  progress(line: string): void
}

/** Everything that can be wrong is said before there is a folder. */
export const planSeries = async (series: Series): Promise<RunManifest> => {
  const { chooseContenders } = await import('../runs/choose-contenders.ts')
  const { checkContenders } = await import('../runs/check-contenders.ts')
  const { knownAgents } = await import('../runs/known-agents.ts')
  const { makeManifest } = await import('../runs/make-manifest.ts')
  const { checkFolder, foreseeRun } = await import('../../runs/index.ts')
  const { lendKey, readModelName } = await import('./read-model-name.ts')
  const { problems, title, method, model, settings, seed, out, anyCommit, command, root } = series
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
    suites: [title],
    problems,
    suiteOf: Object.fromEntries(problems.map(({ id }) => [id, title])),
    contenders,
    epochs: 1,
    seed,
    rollback: 'never',
    settings,
    command,
    root,
  })
  checkFolder(series.savePath, series.savePathOption)
  checkFolder(out, series.outOption)
  foreseeRun(out, { manifest, commit: manifest.commit, anyCommit })
  return manifest
}
