/** The seed of the problems of a command: given, by default that of the suite, or drawn where the command line says `secret`. */
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
  isText: true,
} as const satisfies OptionDeclaration

export interface ChosenSeed {
  /** Undefined for the seeds of the suites. */
  readonly seed: string | undefined
  readonly variant: ProblemVariant
}

/** A command that resumes the run in the folder must draw the same problems. */
const keptSeed = async (folder: string | undefined): Promise<string | undefined> => {
  if (folder === undefined) return undefined
  const { readRun, runPaths } = await import('#lab/runs')
  if (!existsSync(runPaths(folder).manifest)) return undefined
  const { variant, seed } = readRun(folder).manifest
  return variant === 'private' ? seed : undefined
}

/** `folder` is that of the run, which may exist. */
export const chooseSeed = async (given: string | undefined, folder?: string): Promise<ChosenSeed> => {
  if (given === undefined) return { seed: undefined, variant: 'shipped' }
  if (given !== SECRET) return { seed: given, variant: 'seeded' }
  return { seed: (await keptSeed(folder)) ?? drawSecret(), variant: 'private' }
}

/** Throws if something is named whose problems a seed cannot change, since they would not be private. */
export const requireDrawnProblems = async (
  what: readonly string[],
  { variant }: Pick<ChosenSeed, 'variant'>,
): Promise<void> => {
  if (variant !== 'private') return
  const { listSuites } = await import('#exam/problems')
  const suites = listSuites().map(({ name }) => name)
  const isDrawn = (one: string): boolean =>
    suites.includes(one) || (existsSync(one) && extname(one) !== '.json')
  const fixed = what.find((one) => !isDrawn(one))
  if (fixed !== undefined)
    throw new RemediumError(
      'bad-argument',
      `--seed secret draws new problems, but "${fixed}" names problems that are fixed.`,
      { hint: 'Name a suite, or omit --seed.' },
    )
}
