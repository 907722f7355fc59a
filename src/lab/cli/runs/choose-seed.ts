/** Chooses the seed of problems: the given one, a drawn one for `--seed secret`, or that of the suite. */
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { drawSecret } from '#kit'
import { type ProblemVariant, RemediumError } from '#spec'
import type { OptionDeclaration } from '../define-command.ts'

const SECRET = 'secret'

/** The option `--seed` of commands that draw problems. */
export const SEED_OPTION = {
  type: 'string',
  value: 'SEED',
  about: 'the seed for drawing problems (default: the seed of the suite); secret draws a private variant',
  isNonEmpty: true,
} as const satisfies OptionDeclaration

export interface ChosenSeed {
  /** Undefined if each suite uses its own seed. */
  readonly seed: string | undefined
  readonly variant: ProblemVariant
}

/** The seed of an existing private run: resuming it must draw the same problems. */
const readPrivateSeed = async (folder: string | undefined): Promise<string | undefined> => {
  if (folder === undefined) return undefined
  const { readRun, runPaths } = await import('#lab/runs')
  if (!existsSync(runPaths(folder).manifest)) return undefined
  const { variant, seed } = readRun(folder).manifest
  return variant === 'private' ? seed : undefined
}

/** `folder` is the run folder, which may already exist. */
export const chooseSeed = async (given: string | undefined, folder?: string): Promise<ChosenSeed> => {
  if (given === undefined) return { seed: undefined, variant: 'shipped' }
  if (given !== SECRET) return { seed: given, variant: 'seeded' }
  return { seed: (await readPrivateSeed(folder)) ?? drawSecret(), variant: 'private' }
}

/** Throws if an argument names fixed problems: a seed cannot change them, so they would not be private. */
export const requireDrawnProblems = async (
  sources: readonly string[],
  { variant }: Pick<ChosenSeed, 'variant'>,
): Promise<void> => {
  if (variant !== 'private') return
  const { listSuites } = await import('#exam/problems')
  const suites = listSuites().map(({ name }) => name)
  const isDrawn = (source: string): boolean =>
    suites.includes(source) || (existsSync(source) && extname(source) !== '.json')
  const fixed = sources.find((source) => !isDrawn(source))
  if (fixed !== undefined)
    throw new RemediumError(
      'bad-argument',
      `--seed secret draws new problems, but "${fixed}" names problems that are fixed.`,
      { hint: 'Name a suite, or omit --seed.' },
    )
}
