/** Reads the CPU and memory usage of containers, with their limits. */
import { defined } from '#kit'
import { type ApiObject, quantityValue, type SqlAnswer, type TimeRange, viewAs } from '#spec'
import type { ActionContext } from './define-action.ts'

export interface Usage {
  readonly service: string
  readonly pod: string
  readonly container: string
  /** The average in the range. */
  readonly cpuCores: number
  readonly cpuLimitCores?: number
  /** The share of CFS periods in which the container was throttled: 0 to 1. */
  readonly throttledShare: number
  /** The maximum in the range. */
  readonly memoryBytes: number
  readonly memoryLimitBytes?: number
}

const CPU_METRIC = 'container_cpu_usage_seconds_total'
const PERIODS_METRIC = 'container_cpu_cfs_periods_total'
const THROTTLED_METRIC = 'container_cpu_cfs_throttled_periods_total'
const MEMORY_METRIC = 'container_memory_working_set_bytes'

/** A counter that decreases was reset to 0: its container restarted, or its pod was recreated under the same name. */
const QUERY = `WITH samples AS (
    SELECT service, pod, labels_json ->> 'container' AS container, name, time, value,
      lag(value) OVER (PARTITION BY pod, labels_json ->> 'container', name ORDER BY time) AS before
    FROM metrics WHERE name IN ('${CPU_METRIC}', '${PERIODS_METRIC}', '${THROTTLED_METRIC}', '${MEMORY_METRIC}')
      AND time >= ? AND time < ? AND (? IS NULL OR service = ?))
  SELECT service, pod, container, name, max(value) AS maxValue, min(time) AS first, max(time) AS last,
    sum(CASE WHEN before IS NULL THEN 0 WHEN value < before THEN value ELSE value - before END) AS increase
  FROM samples GROUP BY service, pod, container, name`

interface Row {
  readonly maxValue: number
  readonly increase: number
  readonly seconds: number
}

type Limits = Readonly<Record<string, Readonly<Record<string, string>>>>

const containerLimitsOf = (pod: ApiObject): Limits =>
  Object.fromEntries(
    (viewAs('Pod', pod).spec?.containers ?? []).map(({ name, resources }) => [name, resources?.limits ?? {}]),
  )

interface ContainerRows {
  readonly pod: string
  readonly container: string
  readonly service: string
  readonly byMetric: Map<string, Row>
}

const groupByContainer = (rows: SqlAnswer['rows']): Iterable<ContainerRows> => {
  const containers = new Map<string, ContainerRows>()
  for (const row of rows) {
    const { service, pod, container } = row as Record<'service' | 'pod' | 'container', string>
    const key = `${pod} ${container}`
    const entry = containers.get(key) ?? { pod, container, service, byMetric: new Map() }
    const seconds = (Number(row.last) - Number(row.first)) / 1000
    entry.byMetric.set(String(row.name), {
      maxValue: Number(row.maxValue),
      increase: Number(row.increase),
      seconds,
    })
    containers.set(key, entry)
  }
  return containers.values()
}

const toUsage = ({ pod, container, service, byMetric }: ContainerRows, limits: Limits[string]): Usage => {
  const increaseOf = (name: string): number => byMetric.get(name)?.increase ?? 0
  return {
    service,
    pod,
    container,
    cpuCores: increaseOf(CPU_METRIC) / Math.max(1, byMetric.get(CPU_METRIC)?.seconds ?? 1),
    throttledShare: increaseOf(THROTTLED_METRIC) / Math.max(1, increaseOf(PERIODS_METRIC)),
    memoryBytes: byMetric.get(MEMORY_METRIC)?.maxValue ?? 0,
    ...defined({ cpuLimitCores: quantityValue(limits.cpu), memoryLimitBytes: quantityValue(limits.memory) }),
  }
}

/** Returns the usage of the containers of existing pods. */
export const readUsage = async (
  { sql, api, briefing }: ActionContext,
  { from, to }: TimeRange,
  service: string | undefined,
): Promise<readonly Usage[]> => {
  const filter = service ?? null
  const [{ rows }, pods] = await Promise.all([
    sql(QUERY, [from, to, filter, filter]),
    api.list({ apiVersion: 'v1', plural: 'pods', namespace: briefing.namespace }),
  ])
  const limits = new Map(pods.items.map((pod) => [pod.metadata.name, containerLimitsOf(pod)]))
  return [...groupByContainer(rows)].flatMap((entry) => {
    const containerLimits = limits.get(entry.pod)?.[entry.container]
    return containerLimits === undefined ? [] : [toUsage(entry, containerLimits)]
  })
}
