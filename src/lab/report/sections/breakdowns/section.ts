/** Resolved shares by category, system, task and difficulty, and the reasons for failure; one card each. */
import type { EpisodesSummary } from '#lab/runs'
import { meter, shareText } from '../../page/meter.ts'
import { defineSection } from '../../page/report-section.ts'
import type { Entrant } from '../../summary/entrants.ts'
import { type Html, html } from '../../view/html.ts'
import { type Breakdown, toBreakdowns } from './breakdowns.ts'
import { type Shortfall, toShortfalls } from './shortfalls.ts'

const cells = (share: EpisodesSummary, colour: number | undefined): Html =>
  html`<td class="wide">${meter(share, colour)}</td><td class="n strong">${shareText(share)}</td><td class="n quiet">${share.resolved} of ${share.episodes}</td>`

const rowsHtml = (
  { name, shares }: Breakdown['rows'][number],
  entrants: readonly Entrant[],
): readonly Html[] => {
  const hasOneEntrant = entrants.length === 1
  const shown = shares.flatMap((share, index) => (share === undefined ? [] : [{ share, index }]))
  return shown.map(
    ({ share, index }, position) =>
      html`<tr class="${position === 0 && 'first'}">${
        position === 0 && html`<th scope="rowgroup" rowspan="${shown.length}">${name}</th>`
      }${
        !hasOneEntrant &&
        html`<td class="who"><span class="dot c${index % 6}"></span><span class="unseen">${entrants[index]!.name}</span></td>`
      }${cells(share, hasOneEntrant ? undefined : index % 6)}</tr>`,
  )
}

const card = (breakdown: Breakdown, entrants: readonly Entrant[]): Html =>
  html`<div class="card"><h3>${breakdown.name}</h3><table class="breakdown ${entrants.length > 1 && 'many'}"><thead class="unseen"><tr><th scope="col">${breakdown.name}</th>${entrants.length > 1 && html`<th scope="col">Contender</th>`}<th scope="col">Interval</th><th scope="col">Resolved</th><th scope="col">Episodes</th></tr></thead><tbody>${breakdown.rows.map((row) => rowsHtml(row, entrants))}</tbody></table></div>`

const shortfallCard = (shortfalls: readonly Shortfall[], entrants: readonly Entrant[]): Html => {
  const max = Math.max(1, ...shortfalls.flatMap(({ counts }) => counts))
  const bar = (count: number): Html =>
    html`<svg class="tally" width="100%" height="8" aria-hidden="true"><rect width="${Math.round((count / max) * 1000) / 10}%" height="8" rx="2"/></svg>`
  return html`<div class="card"><h3>Reasons for failure</h3><table class="breakdown"><thead class="${entrants.length === 1 && 'unseen'}"><tr><th scope="col"><span class="unseen">Reason</span></th>${
    entrants.length === 1
      ? html`<th scope="col">Share</th><th scope="col">Episodes</th>`
      : entrants.map(
          ({ name }, index) =>
            html`<th scope="col" class="n"><span class="dot c${index % 6}" title="${name}"></span><span class="unseen">${name}</span></th>`,
        )
  }</tr></thead><tbody>${shortfalls.map(
    ({ name, counts }) =>
      html`<tr class="first"><th scope="row">${name}</th>${
        counts.length === 1
          ? html`<td class="wide">${bar(counts[0]!)}</td><td class="n strong">${counts[0]}</td>`
          : counts.map((count) => html`<td class="n ${count === 0 ? 'quiet' : 'strong'}">${count}</td>`)
      }</tr>`,
  )}</tbody></table></div>`
}

const legend = (entrants: readonly Entrant[]): Html | false =>
  entrants.length > 1 &&
  html`<p class="legend">${entrants.map(({ name }, index) => html`<span><span class="dot c${index % 6}"></span>${name}</span>`)}</p>`

export const section = defineSection({
  order: 30,
  render({ runs, entrants, episodes }) {
    const suites = runs.flatMap(({ manifest }) => manifest.suites)
    const breakdowns = toBreakdowns(entrants, suites)
    const shortfalls = toShortfalls(
      entrants.map((_, index) =>
        episodes.filter(({ entrant }) => entrant === index).map(({ details }) => details),
      ),
    )
    if (breakdowns.length + shortfalls.length === 0) return false
    return html`<section aria-labelledby="h-breakdowns"><h2 id="h-breakdowns">Breakdown</h2>${legend(entrants)}<div class="cards">${breakdowns.map((breakdown) => card(breakdown, entrants))}${shortfalls.length > 0 && shortfallCard(shortfalls, entrants)}</div></section>`
  },
})
