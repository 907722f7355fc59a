/** A bar that shows a share and its confidence interval. */
import type { EpisodesSummary } from '#lab/runs'
import { percent } from '../view/format.ts'
import { type Html, html } from '../view/html.ts'

export type Share = Pick<EpisodesSummary, 'share' | 'interval' | 'episodes'>

const toPosition = (share: number): string => `${Math.round(share * 1000) / 10}%`

/** `–` if no episode was judged. */
export const shareText = ({ share, episodes }: Share): string => (episodes === 0 ? '–' : percent(share))

/** `colour` is the number of the contender's colour; by default the colour of resolved episodes. */
export const meter = (summary: Share, colour?: number): Html => {
  const { share, interval } = summary
  const [low, high] = [toPosition(interval.low), toPosition(interval.high)]
  const hasEpisodes = summary.episodes > 0
  const label = hasEpisodes
    ? `${percent(share)}, interval ${percent(interval.low)} to ${percent(interval.high)}`
    : 'no episode was judged'
  return html`<svg class="meter${colour !== undefined && html` c${colour}`}" width="100%" height="14" role="img" aria-label="${label}"><title>${label}</title><rect class="track" y="3" width="100%" height="8" rx="2"/>${
    hasEpisodes &&
    html`<rect class="bar" y="3" width="${toPosition(share)}" height="8" rx="2"/><line class="interval" x1="${low}" x2="${high}" y1="7" y2="7"/><line class="interval" x1="${low}" x2="${low}" y1="4" y2="10"/><line class="interval" x1="${high}" x2="${high}" y1="4" y2="10"/>`
  }</svg>`
}
