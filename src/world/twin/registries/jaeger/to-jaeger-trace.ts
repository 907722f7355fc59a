/** Converts a trace to the response of Jaeger's query API. */
import type { StoredSpan } from './stored-span.ts'

const typeOf = (value: string | number | boolean): string => {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return Number.isInteger(value) ? 'int64' : 'float64'
}

export const toJaegerTrace = (spans: readonly StoredSpan[]): object => {
  const services = [...new Set(spans.map(({ service }) => service))]
  const processOf = (service: string): string => `p${services.indexOf(service) + 1}`
  return {
    traceID: spans[0]!.traceId,
    spans: spans.map((span) => ({
      traceID: span.traceId,
      spanID: span.spanId,
      operationName: span.name,
      references: span.parentId
        ? [{ refType: 'CHILD_OF', traceID: span.traceId, spanID: span.parentId }]
        : [],
      startTime: span.start,
      duration: span.duration,
      tags: Object.entries(span.tags).map(([key, value]) => ({ key, type: typeOf(value), value })),
      logs: [],
      processID: processOf(span.service),
      warnings: null,
    })),
    processes: Object.fromEntries(services.map((name) => [processOf(name), { serviceName: name, tags: [] }])),
    warnings: null,
  }
}
