/** Problems against contenders: who mended what, at every try. */

import type { Entrant } from '../summary/entrants.ts'
import { type Html, html } from '../view/html.ts'
import { anchorOf, type ListedEpisode, OUTCOME_SIGNS } from './listed-episode.ts'

const cell = ({ number, details: { result } }: ListedEpisode): Html =>
  html`<a class="cell ${result.outcome}" href="#${anchorOf(number)}" title="${result.outcome}: ${result.reason}" aria-label="${result.outcome}, epoch ${result.epoch}">${OUTCOME_SIGNS[result.outcome]}</a>`

const byEpoch = (one: ListedEpisode, other: ListedEpisode): number =>
  one.details.result.epoch - other.details.result.epoch

const nameOf = ({ details: { result }, targets }: ListedEpisode): Html =>
  html`${result.faults.join(' + ') || 'control'} <span class="quiet">${targets.join(', ')}</span>`

const row = (episodes: readonly ListedEpisode[], entrants: readonly Entrant[]): Html =>
  html`<tr><th scope="row" title="${episodes[0]!.details.result.problem}">${nameOf(episodes[0]!)}</th><td class="quiet">${episodes[0]!.details.result.system}</td>${entrants.map(
    (_, index) =>
      html`<td class="tries">${episodes
        .filter(({ entrant }) => entrant === index)
        .sort(byEpoch)
        .map(cell)}</td>`,
  )}</tr>`

/** Nothing where each problem was tried once: the list of episodes tells as much. */
export const matrix = (episodes: readonly ListedEpisode[], entrants: readonly Entrant[]): Html | false => {
  const problems = Map.groupBy(episodes, ({ details }) => details.result.problem)
  if (problems.size === episodes.length) return false
  return html`<section aria-labelledby="h-problems"><h2 id="h-problems">Problems</h2><div class="scroll"><table class="matrix"><thead><tr><th scope="col">Problem</th><th scope="col">System</th>${entrants.map(
    ({ name }, index) => html`<th scope="col"><span class="dot c${index % 6}"></span>${name}</th>`,
  )}</tr></thead><tbody>${[...problems.values()].map((all) => row(all, entrants))}</tbody></table></div></section>`
}

/** All episodes of a run as one row of squares. */
export const strip = (episodes: readonly ListedEpisode[]): Html =>
  html`<nav class="strip" aria-label="Episodes by outcome">${episodes.map(cell)}</nav>`
