/** The metrics of the API server, in the Prometheus text format. */

export interface RequestLabels {
  /** Empty, `All` or `invalid`. */
  dryRun: string
  group: string
  resource: string
  /** `resource`, `namespace` or `cluster`. */
  scope: string
  subresource: string
  verb: string
  version: string
}

export interface ServerMetrics {
  count(labels: RequestLabels, code: number): void
  /** `objectCounts` is the number of stored objects of each kind. */
  text(objectCounts: Readonly<Record<string, number>>): string
}

const toSeries = (name: string, labels: Readonly<Record<string, string>>): string =>
  `${name}{${Object.entries(labels)
    .map(([key, text]) => `${key}="${text}"`)
    .join(',')}}`

export const createServerMetrics = (): ServerMetrics => {
  const requests = new Map<string, number>()
  return {
    count({ dryRun, group, resource, scope, subresource, verb, version }, code) {
      const key = toSeries('apiserver_request_total', {
        code: String(code),
        component: 'apiserver',
        dry_run: dryRun,
        group,
        resource,
        scope,
        subresource,
        verb,
        version,
      })
      requests.set(key, (requests.get(key) ?? 0) + 1)
    },
    text(objectCounts) {
      const lines = [
        '# HELP apiserver_request_total [STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
        '# TYPE apiserver_request_total counter',
      ]
      for (const [series, value] of [...requests].sort(([a], [b]) => (a < b ? -1 : 1)))
        lines.push(`${series} ${value}`)
      lines.push(
        '# HELP apiserver_storage_objects Objects in the store by resource.',
        '# TYPE apiserver_storage_objects gauge',
      )
      for (const [resource, value] of Object.entries(objectCounts))
        lines.push(`${toSeries('apiserver_storage_objects', { resource })} ${value}`)
      const { rss, heapUsed } = process.memoryUsage()
      lines.push(
        '# HELP process_resident_memory_bytes Resident memory size in bytes.',
        '# TYPE process_resident_memory_bytes gauge',
        `process_resident_memory_bytes ${rss}`,
        '# HELP nodejs_heap_size_used_bytes Used heap of the process.',
        '# TYPE nodejs_heap_size_used_bytes gauge',
        `nodejs_heap_size_used_bytes ${heapUsed}`,
      )
      return `${lines.join('\n')}\n`
    },
  }
}
