/** A small chart of served and failed journey runs over an episode. */
import { type Html, html } from '../../view/html.ts'
import type { LoadCurve } from '../../view/story.ts'

const WIDTH = 110
const HEIGHT = 20
const MAX_BARS = 55

/** Sums neighbours, so that at most MAX_BARS values remain. */
const reduceBars = (values: readonly number[]): readonly number[] => {
  const size = Math.ceil(values.length / MAX_BARS)
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size).reduce((sum, value) => sum + value, 0),
  )
}

export const sparkline = (load: LoadCurve): Html => {
  const [served, failed] = [reduceBars(load.served), reduceBars(load.failed)]
  const max = Math.max(1, ...served.map((value, index) => value + failed[index]!))
  const step = WIDTH / served.length
  const heightOf = (value: number): number => Math.round((value / max) * HEIGHT * 10) / 10
  const bar = (index: number, from: number, height: number): string =>
    height === 0
      ? ''
      : `M${Math.round(index * step * 10) / 10} ${HEIGHT - from}v${-height}h${Math.round(step * 8.5) / 10}v${height}z`
  const servedPath = served.map((value, index) => bar(index, 0, heightOf(value))).join('')
  const failedPath = failed
    .map((value, index) => bar(index, heightOf(served[index]!), heightOf(value)))
    .join('')
  return html`<svg class="spark" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"><path class="served" d="${servedPath}"/><path class="failed" d="${failedPath}"/></svg>`
}
