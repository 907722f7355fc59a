/** The action get_metrics. */
import { z } from 'zod'
import { nearestName } from '../../kit/index.ts'
import type { EndpointStatistics, MetricSample, RequestStatistics, TimeRange } from '../../spec/index.ts'
import { type ActionContext, ActionRefusal, defineAction } from '../define-action.ts'
import { nameText } from '../name-text.ts'
import { readUsage, type Usage } from '../read-usage.ts'
import { checkService } from '../services-of.ts'
import { describeRange, sinceSeconds, windowOf } from '../time-window.ts'
import { toClock, toMs, toPercent, toText } from '../to-text.ts'

const MOST_SAMPLES = 2000
const MEBIBYTE = 2 ** 20

const describe = ({ rate, errorRate, p50, p95 }: RequestStatistics): string =>
  `${rate.toFixed(1)}/s, ${toPercent(errorRate)} fail, p50 ${toMs(p50)}, p95 ${toMs(p95)}`

const describeUsage = (usage: Usage): string => {
  const { pod, container, cpuCores, cpuLimitCores, throttledShare, memoryBytes, memoryLimitBytes } = usage
  const cpu = `cpu ${cpuCores.toFixed(2)} of ${cpuLimitCores ?? 'no limit'} cores`
  const throttled = throttledShare > 0.01 ? `, throttled ${toPercent(throttledShare)}` : ''
  const limit = memoryLimitBytes === undefined ? 'no limit' : `${Math.round(memoryLimitBytes / MEBIBYTE)} MiB`
  return `${pod} ${container}: ${cpu}${throttled}; memory ${Math.round(memoryBytes / MEBIBYTE)} MiB of ${limit}`
}

/** How near to its limits. */
const pressure = ({
  cpuCores,
  cpuLimitCores,
  throttledShare,
  memoryBytes,
  memoryLimitBytes,
}: Usage): number =>
  Math.max(
    throttledShare,
    memoryLimitBytes === undefined ? 0 : memoryBytes / memoryLimitBytes,
    cpuLimitCores === undefined ? cpuCores / 10 : cpuCores / cpuLimitCores,
  )

const byTrouble = (one: EndpointStatistics, other: EndpointStatistics): number =>
  other.errorRate - one.errorRate || (other.p95 ?? 0) - (one.p95 ?? 0)

/** Of each series the first, the last, the least and the most. */
const describeSeries = (samples: readonly MetricSample[]): string[] => {
  const series = new Map<string, MetricSample[]>()
  for (const sample of samples) {
    const { namespace: _, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    series.set(key, [...(series.get(key) ?? []), sample])
  }
  return [...series].map(([key, all]) => {
    const values = all.map(({ value }) => value)
    const ends = `${all[0]!.value} at ${toClock(all[0]!.time)}, ${all.at(-1)!.value} at ${toClock(all.at(-1)!.time)}`
    return `${key}: ${ends}, least ${Math.min(...values)}, most ${Math.max(...values)} (${all.length} samples)`
  })
}

const samplesOf = async (
  { telemetry }: ActionContext,
  metric: string,
  filter: { range: TimeRange; services?: readonly string[] },
): Promise<readonly MetricSample[]> => {
  const names = await telemetry.metricNames()
  if (!names.includes(metric)) {
    const near = nearestName(metric, names)
    throw new ActionRefusal(
      `There is no metric "${metric}"${near === undefined ? '' : `; did you mean "${near}"`}. The metrics are: ${names.join(', ')}.`,
    )
  }
  return telemetry.metric(metric, { ...filter, limit: MOST_SAMPLES })
}

export const getMetrics = defineAction({
  name: 'get_metrics',
  about:
    'Gives how users fare (journeys: what they do, with rate, failures and latency), how each endpoint of the services ' +
    'fares, and what pods use of CPU and memory against their limits; the worst first. Narrow it down to one service. ' +
    'With metric also the samples of one series by its Prometheus name, such as container_memory_working_set_bytes or ' +
    'kube_pod_container_status_restarts_total; a wrong name gives the list of names.',
  example: { service: 'cart', since_seconds: 30 },
  isReadOnly: true,
  input: z.strictObject({
    service: nameText.optional().describe('Only endpoints, pods and samples of this service.'),
    metric: nameText.optional().describe('The name of a metric whose samples to give, too.'),
    since_seconds: sinceSeconds,
  }),
  async run(context, { service, metric, since_seconds }) {
    const { telemetry } = context
    const named = await checkService(context, service)
    const range = await windowOf(context, since_seconds)
    const filter = { range, ...(named === undefined ? {} : { services: [named] }) }
    const samples = metric === undefined ? undefined : await samplesOf(context, metric, filter)
    const [journeys, endpoints, usage] = await Promise.all([
      telemetry.journeys(range),
      telemetry.endpoints(filter),
      readUsage(context, range, named),
    ])
    const worst = endpoints.toSorted(byTrouble)
    const text = toText(
      [
        ...(samples === undefined
          ? []
          : [{ title: `${metric}`, lines: describeSeries(samples), otherwise: 'no samples', most: 20 }]),
        {
          title: `Journeys of users in the last ${describeRange(range)}`,
          lines: journeys
            .toSorted((one, other) => other.errorRate - one.errorRate)
            .map((one) => `${one.journey}: ${describe(one)}`),
          otherwise: 'nobody was there',
          most: 12,
        },
        {
          title: 'Endpoints',
          lines: worst.map((one) => `${one.service} ${one.endpoint}: ${describe(one)}`),
          otherwise: 'no requests',
          most: 25,
        },
        {
          title: 'What containers use',
          lines: usage.toSorted((one, other) => pressure(other) - pressure(one)).map(describeUsage),
          otherwise: 'unknown',
        },
      ],
      'The rest: give a service, or use query_telemetry on the tables endpoints, journeys and metrics.',
    )
    return {
      ok: true,
      text,
      data: { journeys, endpoints: worst, usage, ...(samples === undefined ? {} : { samples }) },
    }
  },
})
