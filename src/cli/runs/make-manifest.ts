/** What a run is to do, as its folder will say it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRealClock } from '../../kit/index.ts'
import { type Contender, RUN_SCHEMA, type RunManifest, type RunSettings } from '../../spec/index.ts'
import { circumstancesOf } from '../validity/circumstances.ts'
import type { ChosenProblems } from './choose-run-problems.ts'
import { settleSettings } from './settle-settings.ts'

export interface ManifestWish extends ChosenProblems {
  readonly contenders: readonly Contender[]
  readonly epochs: number
  /** The suites' own where absent. */
  readonly seed: string | undefined
  readonly rollback: RunManifest['rollback']
  readonly settings: RunSettings
  readonly command: string
  readonly root: string
}

const versionOf = (root: string): string =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

export const makeManifest = ({ root, seed = 'own', ...wish }: ManifestWish): RunManifest => {
  const created = createRealClock().now()
  const settings = settleSettings(wish.contenders, wish.settings)
  return {
    schema: RUN_SCHEMA,
    id: `${new Date(created).toISOString().slice(0, 19)}Z ${wish.suites.join(' ')}`,
    created,
    command: wish.command,
    commit: circumstancesOf(root).commit,
    version: versionOf(root),
    engine: 'local',
    seed,
    suites: wish.suites,
    problems: wish.problems,
    contenders: wish.contenders,
    epochs: wish.epochs,
    rollback: wish.rollback,
    suiteOf: wish.suiteOf,
    settings,
  }
}
