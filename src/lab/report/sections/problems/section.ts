/** A table of problems and contenders with the outcome of each try. Shown if a problem was tried more than once. */
import { hasRepeatedProblem, type ListedEpisode } from '../../page/listed-episode.ts'
import { outcomeCell } from '../../page/outcome-cell.ts'
import { defineSection } from '../../page/report-section.ts'
import type { Entrant } from '../../summary/entrants.ts'
import { type Html, html } from '../../view/html.ts'

const byEpoch = (a: ListedEpisode, b: ListedEpisode): number =>
  a.details.result.epoch - b.details.result.epoch

const nameOf = ({ details: { result }, targets }: ListedEpisode): Html =>
  html`${result.faults.join(' + ') || 'control'} <span class="quiet">${targets.join(', ')}</span>`

const row = (episodes: readonly ListedEpisode[], entrants: readonly Entrant[]): Html =>
  html`<tr><th scope="row" title="${episodes[0]!.details.result.problem}">${nameOf(episodes[0]!)}</th><td class="quiet">${episodes[0]!.details.result.system}</td>${entrants.map(
    (_, index) =>
      html`<td class="tries">${episodes
        .filter(({ entrant }) => entrant === index)
        .sort(byEpoch)
        .map(outcomeCell)}</td>`,
  )}</tr>`

export const section = defineSection({
  order: 40,
  render({ episodes, entrants }) {
    if (!hasRepeatedProblem(episodes)) return false
    const problems = Map.groupBy(episodes, ({ details }) => details.result.problem)
    return html`<section aria-labelledby="h-problems"><h2 id="h-problems">Problems</h2><div class="scroll"><table class="matrix"><thead><tr><th scope="col">Problem</th><th scope="col">System</th>${entrants.map(
      ({ name }, index) => html`<th scope="col"><span class="dot c${index % 6}"></span>${name}</th>`,
    )}</tr></thead><tbody>${[...problems.values()].map((all) => row(all, entrants))}</tbody></table></div></section>`
  },
})
