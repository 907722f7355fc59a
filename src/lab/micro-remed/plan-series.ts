/** Plans a series of MicroRemed's experiments and checks that it can run, without writing anything. */
import { defined } from '#kit'
import { checkContenders, chooseContenders, knownAgents, makeManifest } from '#lab/launch'
import { checkFolder } from '#lab/records'
import { previewRun } from '#lab/runs'
import type { Contender, Problem, ProblemVariant, RunManifest, RunSettings } from '#spec'
import { applySharedKey, toModelName } from './to-model-name.ts'

/** The agents of MicroRemed's methods. */
const AGENTS: Readonly<Record<string, string>> = { SoloGen: 'solo-gen', ThinkRemed: 'think-remed' }

export interface Series {
  readonly title: string
  readonly problems: readonly Problem[]
  /** A method of MicroRemed, or an agent of Remedium. */
  readonly method: string
  readonly model: string | undefined
  readonly settings: RunSettings
  readonly workers: number
  readonly seed: string | undefined
  /** By default `seeded` with a seed, and `shipped` without one. */
  readonly variant?: ProblemVariant
  /** The run folder, and the option that names it. */
  readonly out: string
  readonly outOption: string
  /** The folder of conversation files, and the option that names it. */
  readonly savePath: string
  readonly savePathOption: string
  /** The file of the summary; by default the summary is only printed. */
  readonly log?: string
  readonly anyCommit: boolean
  /** A sentence that says how to resume the series. */
  readonly resumeHint: string
  readonly command: string
  readonly root: string
  progress(line: string): void
}

const chooseMethod = async ({ method, model }: Series): Promise<Contender[]> => {
  const agent = AGENTS[method] ?? method
  const name = model === undefined ? undefined : toModelName(model)
  if (name !== undefined) applySharedKey(name)
  const known = await knownAgents()
  const usesModel = known.some((candidate) => candidate.name === agent && candidate.roles.length > 0)
  return chooseContenders({ agent: [agent], model: usesModel && name !== undefined ? [name] : [] }, known)
}

/** Throws if the series cannot run, before a folder is created. */
export const planSeries = async (series: Series): Promise<RunManifest> => {
  const { problems, title, settings, seed, variant, out, anyCommit, command, root } = series
  const contenders = await chooseMethod(series)
  await checkContenders(contenders, settings)
  const manifest = makeManifest({
    suites: [title],
    problems,
    suiteOf: Object.fromEntries(problems.map(({ id }) => [id, title])),
    contenders,
    epochs: 1,
    seed,
    ...defined({ variant }),
    rollback: 'never',
    settings: { ...settings, checksLikeMicroRemed: true },
    command,
    root,
  })
  checkFolder(series.savePath, series.savePathOption)
  checkFolder(out, series.outOption)
  previewRun(out, { manifest, commit: manifest.commit, anyCommit })
  return manifest
}
