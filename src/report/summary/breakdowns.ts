/** Shares by what episodes have in common: category, system, task, difficulty. */
import type { EpisodesSummary } from '../../runs/index.ts'
import type { Entrant } from './entrants.ts'

export interface Breakdown {
  readonly name: string
  readonly rows: readonly {
    readonly name: string
    /** By entrant, in their order; nothing of who had no such episode. */
    readonly shares: readonly (EpisodesSummary | undefined)[]
  }[]
}

/** What statistics name the category of those in which nothing is wrong. */
const NO_CATEGORY = 'none'

type Key = 'byCategory' | 'bySystem' | 'byTask' | 'bySuite'

const KEYS: readonly (readonly [name: string, key: Key])[] = [
  ['Category', 'byCategory'],
  ['System', 'bySystem'],
  ['Task', 'byTask'],
  ['Difficulty', 'bySuite'],
]

/** One for each way to sort them that tells any apart. `suites`: in their own order, which is no alphabet's. */
export const toBreakdowns = (entrants: readonly Entrant[], suites: readonly string[]): readonly Breakdown[] =>
  KEYS.map(([name, key]) => {
    const found = new Set(entrants.flatMap(({ summary }) => summary[key].map((one) => one.name)))
    const known = suites.filter((suite) => found.has(suite))
    const names = key === 'bySuite' ? [...new Set([...known, ...found])] : [...found].sort()
    return {
      name,
      rows: names.map((row) => ({
        name: row === NO_CATEGORY ? 'control' : row,
        shares: entrants.map(({ summary }) => summary[key].find((one) => one.name === row)),
      })),
    }
  }).filter(({ rows }) => rows.length > 1)
