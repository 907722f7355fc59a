/** Pairs of contenders, compared on the problems that both tried. */
import { type Comparison, compareAll } from '#lab/runs'
import { defineSection } from '../../page/report-section.ts'
import { plural } from '../../view/format.ts'
import { type Html, html } from '../../view/html.ts'

const pointsText = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(0)}`

const row = ({ first, second, problems, difference, interval, ...comparison }: Comparison): Html => {
  const unpaired = comparison.onlyFirst + comparison.onlySecond
  const isEmpty = problems === 0
  return html`<tr><th scope="row">${first} – ${second}</th><td class="n strong">${isEmpty ? 'n/a' : pointsText(difference)}</td><td class="n">${isEmpty ? '–' : `${pointsText(interval.low)} to ${pointsText(interval.high)}`}</td><td class="n">${comparison.firstBetter} : ${comparison.secondBetter}</td><td class="n">${isEmpty ? 'n/a' : comparison.p.toFixed(3)}</td><td class="n">${problems}</td><td class="n quiet">${unpaired === 0 ? '–' : plural(unpaired, 'problem')}</td></tr>`
}

const HEADINGS = [
  ...['Difference', '95 % interval', 'Better on', 'p (sign test)', 'Tried by both', 'Tried by one'],
] as const

export const section = defineSection({
  order: 15,
  render({ entrants }) {
    const comparisons = compareAll(entrants)
    if (comparisons.length === 0) return false
    return html`<section aria-labelledby="h-comparisons"><h2 id="h-comparisons">Paired comparisons</h2><p class="note">The mean difference in the resolved share, in percentage points, over the problems that both contenders tried. The sign test counts the problems on which one contender resolved a larger share of its tries than the other; with one try for each problem it is McNemar’s exact test.</p><div class="scroll" tabindex="0"><table class="comparison"><thead><tr><th scope="col">Contenders</th>${HEADINGS.map((name) => html`<th scope="col" class="n">${name}</th>`)}</tr></thead><tbody>${comparisons.map(row)}</tbody></table></div></section>`
  },
})
