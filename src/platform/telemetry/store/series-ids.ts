/** Assigns ids to the series of samples. */
import type { MetricSample } from '#spec'
import type { Series } from './write-batch.ts'

/** Series are never evicted. More than this are a mistake or an attack. */
const MAX_SERIES = 200_000
/** Total length of all names and labels of series. */
const MAX_SERIES_CHARACTERS = 16 * 2 ** 20

/** Returns undefined above the limits. Identical labels objects are not compared again. */
export const createSeriesIds = (onNew: (series: Series) => void) => {
  const byObject = new WeakMap<object, Map<string, number>>()
  const byText = new Map<string, number>()
  let characters = 0

  const assignId = ({ name, labels }: MetricSample): number | undefined => {
    const text = `${name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`
    const known = byText.get(text)
    if (known !== undefined) return known
    if (byText.size >= MAX_SERIES || characters + text.length > MAX_SERIES_CHARACTERS) return undefined
    characters += text.length
    const id = byText.size + 1
    byText.set(text, id)
    onNew({ id, name, labels })
    return id
  }

  return (sample: MetricSample): number | undefined => {
    const idsByName = byObject.get(sample.labels) ?? new Map<string, number>()
    const known = idsByName.get(sample.name) ?? assignId(sample)
    if (known !== undefined && idsByName.size === 0) byObject.set(sample.labels, idsByName)
    if (known !== undefined) idsByName.set(sample.name, known)
    return known
  }
}
