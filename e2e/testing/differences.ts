/** Compares what a real server gave with what ours gives, and holds the differences against the known ones. */
import { KNOWN_DIFFERENCES, type KnownDifference } from '../known-differences.ts'

export interface Difference {
  /** `object pods/oom status.phase` */
  where: string
  real: unknown
  here: unknown
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const pathOf = (where: string, key: string, parent: object): string => {
  if (Array.isArray(parent)) return `${where}[${key}]`
  return where.endsWith(' ') ? `${where}${key}` : `${where}.${key}`
}

/** Every leaf at which the two differ; `where` begins every name. */
export const findDifferences = (where: string, real: unknown, here: unknown): Difference[] => {
  if (!isContainer(real) || !isContainer(here) || Array.isArray(real) !== Array.isArray(here))
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

const toPattern = (glob: string): RegExp =>
  new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)

const patterns = new Map<KnownDifference, RegExp>(
  KNOWN_DIFFERENCES.map((known) => [known, toPattern(known.where)]),
)
const seen = new Set<KnownDifference>()

/** Those that no known difference explains, in words. */
export const unexplained = (differences: readonly Difference[]): string[] =>
  differences
    .filter(({ where }) => {
      const reasons = [...patterns].filter(([, pattern]) => pattern.test(where))
      for (const [known] of reasons) seen.add(known)
      return reasons.length === 0
    })
    .map(({ where, real, here }) => `${where}: real ${JSON.stringify(real)}, here ${JSON.stringify(here)}`)

/** Known differences that explained nothing so far: they are no longer true. */
export const unseenDifferences = (): KnownDifference[] =>
  KNOWN_DIFFERENCES.filter((known) => !seen.has(known))
