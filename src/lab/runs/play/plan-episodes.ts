/** Lists the episodes of a run in the order in which they are played. */
import { createRandom, deriveSecret, shuffle } from '#kit'
import { type Contender, minEpisodeTimeOf, type Problem, type RunManifest } from '#spec'

export interface PlannedEpisode {
  /** `PROBLEM.CONTENDER-NUMBER.EPOCH`; the numbers start at 1. */
  readonly episode: string
  readonly problem: Problem
  readonly contender: Contender
  readonly epoch: number
  /** The suite that the problem comes from. */
  readonly suite: string
  /** Draws everything that the agent sees but the problem does not determine; absent in runs of older versions. */
  readonly secret?: string
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** Groups by system, so that clusters are reused. Completes each epoch before the next. */
const compareGroups = (one: PlannedEpisode, other: PlannedEpisode): number =>
  compareText(one.problem.system, other.problem.system) || one.epoch - other.epoch

/** Runs of older versions start with the longest episodes. */
const compareLengths = (one: PlannedEpisode, other: PlannedEpisode): number =>
  minEpisodeTimeOf(other.problem) - minEpisodeTimeOf(one.problem)

const listEpisodes = ({ problems, contenders, epochs, suiteOf, secret }: RunManifest): PlannedEpisode[] =>
  Array.from({ length: epochs }, (_, index) =>
    problems.flatMap((problem) =>
      contenders.map((contender, number): PlannedEpisode => {
        const epoch = index + 1
        const episode = `${problem.id}.${number + 1}.${epoch}`
        return {
          episode,
          problem,
          contender,
          epoch,
          suite: suiteOf[problem.id] ?? '',
          ...(secret === undefined ? {} : { secret: deriveSecret(secret, 'episode', episode) }),
        }
      }),
    ),
  ).flat()

/** The secret of the run determines the order within each group, so an agent that counts episodes cannot predict the next one. */
export const planEpisodes = (manifest: RunManifest): PlannedEpisode[] => {
  const { secret } = manifest
  const listed = listEpisodes(manifest)
  const ordered =
    secret === undefined
      ? listed.toSorted(compareLengths)
      : shuffle(listed, createRandom(deriveSecret(secret, 'order')))
  return ordered.toSorted(compareGroups)
}
