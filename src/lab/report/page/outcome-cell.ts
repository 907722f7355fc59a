/** A link to an episode, with a sign for its outcome. */
import { type Html, html } from '../view/html.ts'
import { anchorOf, type ListedEpisode, OUTCOME_SIGNS } from './listed-episode.ts'

export const outcomeCell = ({ number, details: { result } }: ListedEpisode): Html =>
  html`<a class="cell ${result.outcome}" href="#${anchorOf(number)}" title="${result.outcome}: ${result.reason}" aria-label="${result.outcome}, epoch ${result.epoch}">${OUTCOME_SIGNS[result.outcome]}</a>`
