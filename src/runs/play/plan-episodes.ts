/** Which episodes a run has, and in which order they are played. */
import type { Contender, Problem, RunManifest } from '../../spec/index.ts'
import { spansOf } from '../spans-of.ts'

export interface PlannedEpisode {
  /** `PROBLEM.CONTENDER-NUMBER.EPOCH`, the numbers from 1. */
  readonly episode: string
  readonly problem: Problem
  readonly contender: Contender
  readonly epoch: number
  /** Which suite the problem came from. */
  readonly suite: string
}

/** Milliseconds that an episode of it takes at least, by what the problem says of time. */
const leastTimeOf = (problem: Problem): number => Math.max(0, ...spansOf(problem))

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/**
 * Those of one system after each other, so that clusters are kept; each epoch whole before the next; what takes long
 * first, so that no worker is left alone with it at the end.
 */
const inOrder = (one: PlannedEpisode, other: PlannedEpisode): number =>
  compareText(one.problem.system, other.problem.system) ||
  one.epoch - other.epoch ||
  leastTimeOf(other.problem) - leastTimeOf(one.problem)

export const planEpisodes = ({ problems, contenders, epochs, suiteOf }: RunManifest): PlannedEpisode[] =>
  Array.from({ length: epochs }, (_, turn) =>
    problems.flatMap((problem) =>
      contenders.map((contender, number): PlannedEpisode => {
        const epoch = turn + 1
        const episode = `${problem.id}.${number + 1}.${epoch}`
        return { episode, problem, contender, epoch, suite: suiteOf[problem.id] ?? '' }
      }),
    ),
  )
    .flat()
    .toSorted(inOrder)
