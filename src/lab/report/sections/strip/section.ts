/** All episodes as a row of squares. Shown if there is one contender and each problem was tried once. */
import { hasRepeatedProblem } from '../../page/listed-episode.ts'
import { outcomeCell } from '../../page/outcome-cell.ts'
import { defineSection } from '../../page/report-section.ts'
import { html } from '../../view/html.ts'

export const section = defineSection({
  order: 20,
  render: ({ entrants, episodes }) =>
    entrants.length === 1 &&
    !hasRepeatedProblem(episodes) &&
    html`<nav class="strip" aria-label="Episodes by outcome">${episodes.map(outcomeCell)}</nav>`,
})
