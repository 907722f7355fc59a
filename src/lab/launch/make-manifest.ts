/** Creates the manifest of a run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRealClock, drawSecret } from '#kit'
import { circumstancesOf } from '#lab/records'
import {
  type Contender,
  DEFAULT_ENGINE,
  type EngineName,
  type Problem,
  type ProblemVariant,
  RUN_SCHEMA,
  type RunManifest,
  type RunSettings,
  variantOf,
} from '#spec'
import { resolveSettings } from './resolve-settings.ts'

export interface ChosenProblems {
  /** As the user named them. */
  readonly suites: readonly string[]
  readonly problems: readonly Problem[]
  /** The suite of each problem, keyed by problem ID. */
  readonly suiteOf: Readonly<Record<string, string>>
}

export interface ManifestOptions extends ChosenProblems {
  readonly contenders: readonly Contender[]
  readonly epochs: number
  /** The seeds of the suites by default. */
  readonly seed: string | undefined
  /** By default `seeded` with a seed, and `shipped` without one. */
  readonly variant?: ProblemVariant
  /** A new one by default. */
  readonly secret?: string
  /** `local` by default. */
  readonly engine?: EngineName
  readonly rollback: RunManifest['rollback']
  readonly settings: RunSettings
  readonly command: string
  readonly root: string
}

const versionOf = (root: string): string =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

export const makeManifest = ({ root, seed = 'own', ...options }: ManifestOptions): RunManifest => {
  const created = createRealClock().now()
  const settings = resolveSettings(options.contenders, options.settings)
  return {
    schema: RUN_SCHEMA,
    id: `${new Date(created).toISOString().slice(0, 19)}Z ${options.suites.join(' ')}`,
    created,
    command: options.command,
    commit: circumstancesOf(root).commit,
    version: versionOf(root),
    engine: options.engine ?? DEFAULT_ENGINE,
    seed,
    variant: options.variant ?? variantOf({ seed }),
    secret: options.secret ?? drawSecret(),
    suites: options.suites,
    problems: options.problems,
    contenders: options.contenders,
    epochs: options.epochs,
    rollback: options.rollback,
    suiteOf: options.suiteOf,
    settings,
  }
}
