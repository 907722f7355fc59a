/** Groups judged episodes by problem: the tries of one problem are not independent of each other. */
import type { EpisodeResult } from '#spec'

export interface ProblemTries {
  readonly problem: string
  readonly tries: number
  readonly successes: number
}

/** Void episodes do not count. */
export const groupTries = (results: readonly EpisodeResult[]): ProblemTries[] => {
  const judged = results.filter(({ outcome }) => outcome !== 'void')
  return Object.entries(Object.groupBy(judged, ({ problem }) => problem)).map(([problem, tries = []]) => ({
    problem,
    tries: tries.length,
    successes: tries.filter(({ outcome }) => outcome === 'resolved').length,
  }))
}
