/** A share as a bar with its interval. */
import type { EpisodesSummary } from '../../runs/index.ts'
import { percent } from '../view/format.ts'
import { type Html, html } from '../view/html.ts'

export type Share = Pick<EpisodesSummary, 'share' | 'interval' | 'episodes'>

const along = (share: number): string => `${Math.round(share * 1000) / 10}%`

/** `–` where nothing was judged. */
export const shareText = ({ share, episodes }: Share): string => (episodes === 0 ? '–' : percent(share))

/** `colour`: which of the contenders' colours; the one of what is resolved where absent. */
export const meter = (one: Share, colour?: number): Html => {
  const { share, interval } = one
  const [low, high] = [along(interval.low), along(interval.high)]
  const isAny = one.episodes > 0
  const words = isAny
    ? `${percent(share)}, interval ${percent(interval.low)} to ${percent(interval.high)}`
    : 'nothing was judged'
  return html`<svg class="meter${colour !== undefined && html` c${colour}`}" width="100%" height="14" role="img" aria-label="${words}"><title>${words}</title><rect class="track" y="3" width="100%" height="8" rx="2"/>${
    isAny &&
    html`<rect class="bar" y="3" width="${along(share)}" height="8" rx="2"/><line class="interval" x1="${low}" x2="${high}" y1="7" y2="7"/><line class="interval" x1="${low}" x2="${low}" y1="4" y2="10"/><line class="interval" x1="${high}" x2="${high}" y1="4" y2="10"/>`
  }</svg>`
}
