/** The server's own metrics, as Prometheus text. */

export interface ServerMetrics {
  count(verb: string, resource: string, code: number): void
  text(extra: Readonly<Record<string, number>>): string
}

const labelled = (name: string, labels: Readonly<Record<string, string>>, value: number): string =>
  `${name}{${Object.entries(labels)
    .map(([key, text]) => `${key}="${text}"`)
    .join(',')}} ${value}`

export const createServerMetrics = (): ServerMetrics => {
  const requests = new Map<string, number>()
  return {
    count(verb, resource, code) {
      const key = `${verb}|${resource}|${code}`
      requests.set(key, (requests.get(key) ?? 0) + 1)
    },
    text(objects) {
      const lines = [
        '# HELP apiserver_request_total Requests by verb, resource and answer.',
        '# TYPE apiserver_request_total counter',
      ]
      for (const [key, value] of [...requests].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const [verb = '', resource = '', code = ''] = key.split('|')
        lines.push(labelled('apiserver_request_total', { code, resource, verb }, value))
      }
      lines.push(
        '# HELP apiserver_storage_objects Objects in the store by resource.',
        '# TYPE apiserver_storage_objects gauge',
      )
      for (const [resource, value] of Object.entries(objects))
        lines.push(labelled('apiserver_storage_objects', { resource }, value))
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
