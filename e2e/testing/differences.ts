/** Compares the answers of a real server with those of the embedded Kubernetes, and checks the differences against the known ones. */
import type { KnownDifference } from '../known-differences.ts'

export interface Difference {
  /** Such as `object pods/oom status.phase`. */
  where: string
  real: unknown
  here: unknown
}

const isObjectOrArray = (value: unknown): value is object => typeof value === 'object' && value !== null

const pathOf = (where: string, key: string, parent: object): string => {
  if (Array.isArray(parent)) return `${where}[${key}]`
  return where.endsWith(' ') ? `${where}${key}` : `${where}.${key}`
}

/** Finds every leaf that differs; `where` is the prefix of the path of each leaf. */
export const findDifferences = (where: string, real: unknown, here: unknown): Difference[] => {
  if (!isObjectOrArray(real) || !isObjectOrArray(here) || Array.isArray(real) !== Array.isArray(here))
    return Object.is(real, here) ? [] : [{ where: where.trimEnd(), real, here }]
  const keys = new Set([...Object.keys(real), ...Object.keys(here)])
  return [...keys].flatMap((key) =>
    findDifferences(
      pathOf(where, key, real),
      (real as Record<string, unknown>)[key],
      (here as Record<string, unknown>)[key],
    ),
  )
}

/** Returns the lines that only one of the two sets contains. */
export const compareLines = (
  where: string,
  real: ReadonlySet<string>,
  here: ReadonlySet<string>,
): Difference[] =>
  [...new Set([...real, ...here])]
    .filter((line) => real.has(line) !== here.has(line))
    .map((line) => ({ where: `${where} ${line}`, real: real.has(line), here: here.has(line) }))

const toPattern = (glob: string): RegExp =>
  new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)

export interface Judge {
  /** Describes each difference that is not known. */
  findUnexplained(differences: readonly Difference[]): string[]
  /** Lists known differences that did not occur, and are therefore obsolete. */
  listObsolete(): KnownDifference[]
}

export const createJudge = (known: readonly KnownDifference[]): Judge => {
  const patterns = new Map(known.map((difference) => [difference, toPattern(difference.where)]))
  const seen = new Set<KnownDifference>()
  return {
    findUnexplained: (differences) =>
      differences
        .filter(({ where }) => {
          const matches = [...patterns].filter(([, pattern]) => pattern.test(where))
          for (const [difference] of matches) seen.add(difference)
          return matches.length === 0
        })
        .map(
          ({ where, real, here }) => `${where}: real ${JSON.stringify(real)}, here ${JSON.stringify(here)}`,
        ),
    listObsolete: () =>
      known.filter((difference) => difference.isIntermittent !== true && !seen.has(difference)),
  }
}
