/** An episode in its place on the page. */
import type { EpisodeDetails } from '../view/story.ts'

export interface ListedEpisode {
  /** Its number on the page, from 0. */
  readonly number: number
  /** Which entrant's. */
  readonly entrant: number
  readonly details: EpisodeDetails
  /** The services that were hit. */
  readonly targets: readonly string[]
}

/** Where links to it point. */
export const anchorOf = (number: number): string => `episode-${number + 1}`

export const OUTCOME_SIGNS = { resolved: '✓', unresolved: '✕', void: '–' } as const
