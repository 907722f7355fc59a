/** Groups resolved shares by category, system, task and difficulty. */
import type { EpisodesSummary } from '#lab/runs'
import type { Entrant } from '../../summary/entrants.ts'

export interface Breakdown {
  readonly name: string
  readonly rows: readonly {
    readonly name: string
    /** By entrant; undefined for an entrant without such episodes. */
    readonly shares: readonly (EpisodesSummary | undefined)[]
  }[]
}

/** The category of controls in the statistics. */
const NO_CATEGORY = 'none'

type Key = 'byCategory' | 'bySystem' | 'byTask' | 'bySuite'

const KEYS: readonly (readonly [name: string, key: Key])[] = [
  ['Category', 'byCategory'],
  ['System', 'bySystem'],
  ['Task', 'byTask'],
  ['Difficulty', 'bySuite'],
]

/** Returns the groupings with more than one group. Suites keep the order of `suites`. */
export const toBreakdowns = (entrants: readonly Entrant[], suites: readonly string[]): readonly Breakdown[] =>
  KEYS.map(([name, key]) => {
    const found = new Set(entrants.flatMap(({ summary }) => summary[key].map((group) => group.name)))
    const known = suites.filter((suite) => found.has(suite))
    const names = key === 'bySuite' ? [...new Set([...known, ...found])] : [...found].sort()
    return {
      name,
      rows: names.map((row) => ({
        name: row === NO_CATEGORY ? 'control' : row,
        shares: entrants.map(({ summary }) => summary[key].find((group) => group.name === row)),
      })),
    }
  }).filter(({ rows }) => rows.length > 1)
