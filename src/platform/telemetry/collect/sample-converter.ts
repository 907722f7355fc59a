/** Converts batches of samples to single samples, in the order in which they were collected. */
import type { MetricSample } from '#spec'
import type { SampleBatch, ScrapeBatch, UsageBatch } from './collected-sink.ts'
import { createContainerSamples } from './container-samples.ts'
import { parseLabels, parsePrometheus } from './parse-prometheus.ts'
import type { PodState } from './pod-index.ts'
import { createPodSamples } from './pod-samples.ts'

const MAX_SAMPLES = 2000
/** An unchanged value is reported again after this time. */
const REPEAT_MS = 30_000

interface KnownSeries {
  readonly labels: MetricSample['labels']
  value: number
  time: number
}

/** The returned function selects the samples of a scrape that have changed or were not reported for a while. */
const createChangeFilter = (pod: PodState) => {
  let known = new Map<string, KnownSeries>()
  const { namespace, service, name } = pod
  return (text: string, time: number): MetricSample[] => {
    const samples: MetricSample[] = []
    const present = new Map<string, KnownSeries>()
    for (const { name: metric, labelText, value } of parsePrometheus(text, MAX_SAMPLES)) {
      const key = metric + labelText
      const series = known.get(key)
      if (series !== undefined && series.value === value && time - series.time < REPEAT_MS) {
        present.set(key, series)
        continue
      }
      const ownLabels = series?.labels ?? parseLabels(labelText)
      if (ownLabels === undefined) continue
      const labels = series?.labels ?? { ...ownLabels, namespace, service, pod: name }
      present.set(key, { labels, value, time })
      samples.push({ time, name: metric, labels, value })
    }
    known = present
    return samples
  }
}

/** Batches must be passed in the order in which they were collected: values that have not changed are left out for a while. */
export const createSampleConverter = (): ((batch: SampleBatch) => readonly MetricSample[]) => {
  const podSamples = createPodSamples()
  const containerSamples = createContainerSamples()
  const filters = new Map<string, ReturnType<typeof createChangeFilter>>()

  const convertUsage = ({ time, pods, readings }: UsageBatch): MetricSample[] => {
    const uids = new Set(pods.map(({ uid }) => uid))
    containerSamples.keepOnly(uids)
    for (const uid of filters.keys()) if (!uids.has(uid)) filters.delete(uid)
    return pods.flatMap((pod, index) => {
      const reading = readings[index]
      return [
        ...podSamples(pod, time),
        ...(reading === undefined ? [] : containerSamples.samplesOf(pod, reading, time)),
      ]
    })
  }

  const convertScrape = ({ time, pod, isFirst, text }: ScrapeBatch): MetricSample[] => {
    const { namespace, service, name, uid } = pod
    const labels = { namespace, service, pod: name }
    if (text === undefined) return [{ time, name: 'up', labels, value: 0 }]
    const filter = (isFirst ? undefined : filters.get(uid)) ?? createChangeFilter(pod)
    filters.set(uid, filter)
    const samples = filter(typeof text === 'string' ? text : text(), time)
    return [...samples, { time, name: 'up', labels, value: 1 }]
  }

  return (batch) => {
    switch (batch.type) {
      case 'usage':
        return convertUsage(batch)
      case 'scrape':
        return convertScrape(batch)
      case 'plain':
        return batch.samples
    }
  }
}
