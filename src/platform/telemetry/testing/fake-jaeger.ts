/** A fake of Jaeger's query service over a fixed set of spans. */
import { defined } from '#kit'
import type { Span } from '#spec'
import { type FakeBackend, startFakeBackend } from './fake-backend.ts'
import type { SignalSet } from './sample-signals.ts'

/** Jaeger omits leading zeros. */
const toId = (id: string): string => id.replace(/^0+(?=.)/, '')
const toMicroseconds = (milliseconds: number): number => Math.round(milliseconds * 1000)

const toTag = ([key, value]: [string, unknown]) => ({
  key,
  type: typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'float64',
  value,
})

const toTags = ({ kind, status, message, peer, attributes }: Span) =>
  Object.entries({
    'span.kind': kind,
    ...(status === 'error' ? { error: true, 'otel.status_code': 'ERROR' } : {}),
    ...defined({ 'otel.status_description': message, 'peer.service': peer }),
    ...attributes,
  }).map(toTag)

const toTrace = (spans: readonly Span[]) => ({
  traceID: toId(spans[0]!.traceId),
  spans: spans.map((span) => ({
    traceID: toId(span.traceId),
    spanID: toId(span.spanId),
    flags: 1,
    operationName: span.name,
    references:
      span.parentId === undefined
        ? []
        : [{ refType: 'CHILD_OF', traceID: toId(span.traceId), spanID: toId(span.parentId) }],
    startTime: toMicroseconds(span.start),
    duration: toMicroseconds(span.durationMs),
    tags: toTags(span),
    logs: [],
    processID: span.service,
    warnings: null,
  })),
  processes: Object.fromEntries(
    spans.map(({ service, pod }) => [
      service,
      { serviceName: service, tags: [toTag(['k8s.pod.name', pod])] },
    ]),
  ),
  warnings: null,
})

const toResponse = (data: readonly unknown[]) => ({
  body: { data, total: data.length, limit: 0, offset: 0, errors: null },
})

export const startFakeJaeger = ({ spans }: SignalSet): Promise<FakeBackend> => {
  const traces = [...Map.groupBy(spans, ({ traceId }) => traceId).values()]
  return startFakeBackend((path, parameters) => {
    if (path === '/api/services') return toResponse([...new Set(spans.map(({ service }) => service))])
    if (path === '/api/traces') {
      const service = parameters.get('service')
      if (service === null)
        return { status: 400, body: { data: null, errors: [{ code: 400, msg: 'no service' }] } }
      const [start, end] = ['start', 'end'].map((name) => Number(parameters.get(name)))
      const matching = traces.filter((trace) =>
        trace.some(
          (span) =>
            span.service === service &&
            toMicroseconds(span.start) >= start! &&
            toMicroseconds(span.start) <= end!,
        ),
      )
      // As in Jaeger, the limit applies to traces, and each trace is returned with all its spans.
      return toResponse(matching.slice(-Number(parameters.get('limit') ?? 20)).map(toTrace))
    }
    const [, id] = /^\/api\/traces\/([0-9a-f]+)$/.exec(path) ?? []
    if (id === undefined) return undefined
    const trace = traces.find(([span]) => toId(span!.traceId) === toId(id))
    return trace === undefined
      ? { status: 404, body: { data: null, errors: [{ code: 404, msg: 'trace not found' }] } }
      : toResponse([toTrace(trace)])
  })
}
