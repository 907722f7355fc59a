/** An episode in the list of the page. */
import type { EpisodeDetails } from '../view/story.ts'

export interface ListedEpisode {
  /** The number on the page, from 0. */
  readonly number: number
  /** The index of its entrant. */
  readonly entrant: number
  readonly details: EpisodeDetails
  /** The services with a fault. */
  readonly targets: readonly string[]
}

/** The anchor of links to the episode. */
export const anchorOf = (number: number): string => `episode-${number + 1}`

export const OUTCOME_SIGNS = { resolved: '✓', unresolved: '✕', void: '–' } as const

/** Whether a problem was tried more than once: in several epochs, or by several contenders. */
export const hasRepeatedProblem = (episodes: readonly ListedEpisode[]): boolean =>
  new Set(episodes.map(({ details }) => details.result.problem)).size < episodes.length
