/** The action get_metrics. */
import { z } from 'zod'
import { defined } from '#kit'
import type { EndpointStatistics, MetricSample, RequestStatistics, TimeRange } from '#spec'
import { type ActionContext, ActionRefusal, defineAction } from '../define-action.ts'
import { checkService } from '../list-services.ts'
import { nameText } from '../name-text.ts'
import { readUsage, type Usage } from '../read-usage.ts'
import { suggestName } from '../suggest-name.ts'
import { describeRange, sinceSeconds, toTimeRange } from '../time-window.ts'
import { toClock, toMs, toPercent, toText } from '../to-text.ts'

const MAX_SAMPLES = 2000
const MEBIBYTE = 2 ** 20

const describe = ({ rate, errorRate, p50, p95 }: RequestStatistics): string =>
  `${rate.toFixed(1)}/s, ${toPercent(errorRate)} fail, p50 ${toMs(p50)}, p95 ${toMs(p95)}`

const describeUsage = (usage: Usage): string => {
  const { pod, container, cpuCores, cpuLimitCores, throttledShare, memoryBytes, memoryLimitBytes } = usage
  const toMebibytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`
  const cores = cpuCores.toFixed(2)
  const cpu = cpuLimitCores === undefined ? `${cores} cores (no limit)` : `${cores} of ${cpuLimitCores} cores`
  const throttled = throttledShare > 0.01 ? `, throttled in ${toPercent(throttledShare)} of CPU periods` : ''
  const memory =
    memoryLimitBytes === undefined
      ? `${toMebibytes(memoryBytes)} (no limit)`
      : `${toMebibytes(memoryBytes)} of ${toMebibytes(memoryLimitBytes)}`
  return `${pod} ${container}: cpu ${cpu}${throttled}; memory ${memory}`
}

/** How close a container is to its limits: 1 means that it has reached one. The default CPU limit is 10 cores. */
const pressureOf = ({
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

const byErrorRate = (a: EndpointStatistics, b: EndpointStatistics): number =>
  b.errorRate - a.errorRate || (b.p95 ?? 0) - (a.p95 ?? 0)

/** Describes each series by its first, last, minimum and maximum value. */
const describeSeries = (samples: readonly MetricSample[]): string[] => {
  const series = new Map<string, MetricSample[]>()
  for (const sample of samples) {
    const { namespace: _, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    series.set(key, [...(series.get(key) ?? []), sample])
  }
  return [...series].map(([key, seriesSamples]) => {
    const values = seriesSamples.map(({ value }) => value)
    const firstAndLast = `first ${seriesSamples[0]!.value} at ${toClock(seriesSamples[0]!.time)}, last ${seriesSamples.at(-1)!.value} at ${toClock(seriesSamples.at(-1)!.time)}`
    return `${key}: ${firstAndLast}, min ${Math.min(...values)}, max ${Math.max(...values)} (${seriesSamples.length} samples)`
  })
}

const listSamples = async (
  { telemetry }: ActionContext,
  metric: string,
  filter: { range: TimeRange; services?: readonly string[] },
): Promise<readonly MetricSample[]> => {
  const names = await telemetry.metricNames()
  if (!names.includes(metric)) {
    throw new ActionRefusal(
      `The metric "${metric}" does not exist.${suggestName(metric, names)} Available metrics: ${names.join(', ')}.`,
    )
  }
  return telemetry.metric(metric, { ...filter, limit: MAX_SAMPLES })
}

export const getMetrics = defineAction({
  name: 'get_metrics',
  about:
    'Returns request rate, error rate and latency of each user journey and of each service endpoint, and the CPU and ' +
    'memory usage of each container compared with its limits. The highest error rates and usages come first. Pass ' +
    'service to restrict endpoints and containers to one service. Pass metric to also get the first, last, minimum and ' +
    'maximum value of each series of one metric, by its Prometheus name, such as container_memory_working_set_bytes or ' +
    'kube_pod_container_status_restarts_total. If the metric does not exist, the observation lists the available names.',
  example: { service: 'cart', since_seconds: 30 },
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({
    service: nameText.optional().describe('Return only endpoints, containers and series of this service.'),
    metric: nameText.optional().describe('The Prometheus name of a metric whose series to summarise.'),
    since_seconds: sinceSeconds,
  }),
  async run(context, { service, metric, since_seconds }) {
    const { telemetry } = context
    const services = await checkService(context, service)
    const range = await toTimeRange(context, since_seconds)
    const filter = { range, ...defined({ services }) }
    const samples = metric === undefined ? undefined : await listSamples(context, metric, filter)
    const [journeys, endpoints, usage] = await Promise.all([
      telemetry.journeys(range),
      telemetry.endpoints(filter),
      readUsage(context, range, service),
    ])
    const worstFirst = endpoints.toSorted(byErrorRate)
    const text = toText(
      [
        ...(samples === undefined
          ? []
          : [{ title: `${metric}`, lines: describeSeries(samples), ifEmpty: 'no samples', maxLines: 20 }]),
        {
          title: `User journeys, ${describeRange(range)}`,
          lines: journeys
            .toSorted((a, b) => b.errorRate - a.errorRate)
            .map((journey) => `${journey.journey}: ${describe(journey)}`),
          ifEmpty: 'no user requests',
          maxLines: 12,
        },
        {
          title: 'Endpoints',
          lines: worstFirst.map(
            (statistics) => `${statistics.service} ${statistics.endpoint}: ${describe(statistics)}`,
          ),
          ifEmpty: 'no requests',
          maxLines: 25,
        },
        {
          title: 'Resource usage of containers',
          lines: usage.toSorted((a, b) => pressureOf(b) - pressureOf(a)).map(describeUsage),
          ifEmpty: 'unknown',
        },
      ],
      'Output truncated. To see more, pass service, or query the tables endpoints, journeys and metrics with query_telemetry.',
    )
    return {
      ok: true,
      text,
      data: { journeys, endpoints: worstFirst, usage, ...defined({ samples }) },
    }
  },
})
