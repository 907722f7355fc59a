/** What containers use of CPU and memory, against what they may. */
import { type ApiObject, quantityValue, type TimeRange } from '../spec/index.ts'
import type { ActionContext } from './define-action.ts'

export interface Usage {
  readonly service: string
  readonly pod: string
  readonly container: string
  readonly cpuCores: number
  readonly cpuLimitCores?: number
  /** Of the periods in which a quota is counted: 0 to 1. */
  readonly throttledShare: number
  /** The most in that time. */
  readonly memoryBytes: number
  readonly memoryLimitBytes?: number
}

const CPU = 'container_cpu_usage_seconds_total'
const PERIODS = 'container_cpu_cfs_periods_total'
const THROTTLED = 'container_cpu_cfs_throttled_periods_total'
const MEMORY = 'container_memory_working_set_bytes'

/** A counter that falls has begun anew, from nothing: its container was restarted, or its pod made anew under the same name. */
const QUERY = `WITH samples AS (
    SELECT service, pod, labels_json ->> 'container' AS container, name, time, value,
      lag(value) OVER (PARTITION BY pod, labels_json ->> 'container', name ORDER BY time) AS before
    FROM metrics WHERE name IN ('${CPU}', '${PERIODS}', '${THROTTLED}', '${MEMORY}')
      AND time >= ? AND time < ? AND (? IS NULL OR service = ?))
  SELECT service, pod, container, name, max(value) AS most, min(time) AS first, max(time) AS last,
    sum(CASE WHEN before IS NULL THEN 0 WHEN value < before THEN value ELSE value - before END) AS grown
  FROM samples GROUP BY service, pod, container, name`

interface Row {
  readonly most: number
  readonly grown: number
  readonly seconds: number
}

type Limits = Readonly<Record<string, Readonly<Record<string, string>>>>

const limitsOf = ({ spec }: ApiObject): Limits => {
  const { containers = [] } = (spec ?? {}) as {
    containers?: { name: string; resources?: { limits?: Record<string, string> } }[]
  }
  return Object.fromEntries(containers.map(({ name, resources }) => [name, resources?.limits ?? {}]))
}

export const readUsage = async (
  { sql, api, briefing }: ActionContext,
  { from, to }: TimeRange,
  service: string | undefined,
): Promise<readonly Usage[]> => {
  const asked = service ?? null
  const [{ rows }, pods] = await Promise.all([
    sql(QUERY, [from, to, asked, asked]),
    api.list({ apiVersion: 'v1', plural: 'pods', namespace: briefing.namespace }),
  ])
  const limits = new Map(pods.items.map((pod) => [pod.metadata.name, limitsOf(pod)]))
  const containers = new Map<
    string,
    { pod: string; container: string; service: string; by: Map<string, Row> }
  >()
  for (const row of rows) {
    const { service: of, pod, container } = row as Record<string, string>
    const key = `${pod} ${container}`
    const entry = containers.get(key) ?? { pod: pod!, container: container!, service: of!, by: new Map() }
    const seconds = (Number(row.last) - Number(row.first)) / 1000
    entry.by.set(String(row.name), { most: Number(row.most), grown: Number(row.grown), seconds })
    containers.set(key, entry)
  }
  // Of pods that are gone nobody wants to know how near to their limits they were.
  return [...containers.values()].flatMap(({ pod, container, service: of, by }) => {
    const own = limits.get(pod)?.[container]
    if (own === undefined) return []
    const grown = (name: string): number => by.get(name)?.grown ?? 0
    const cpuLimitCores = quantityValue(own.cpu)
    const memoryLimitBytes = quantityValue(own.memory)
    return [
      {
        service: of,
        pod,
        container,
        cpuCores: grown(CPU) / Math.max(1, by.get(CPU)?.seconds ?? 1),
        throttledShare: grown(THROTTLED) / Math.max(1, grown(PERIODS)),
        memoryBytes: by.get(MEMORY)?.most ?? 0,
        ...(cpuLimitCores === undefined ? {} : { cpuLimitCores }),
        ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }),
      },
    ]
  })
}
