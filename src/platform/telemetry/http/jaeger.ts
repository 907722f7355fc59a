/** Reads spans from the HTTP API of Jaeger's query service. */
import { defined } from '#kit'
import type { Span, TimeRange } from '#spec'
import type { GetJson } from './get-json.ts'

/** Per service and query. */
const MAX_TRACES = 20_000
/** Enough to find out whether there are any spans. */
const PROBE_LIMIT = 1

interface Tag {
  readonly key: string
  readonly value: string | number | boolean
}

interface JaegerSpan {
  readonly traceID: string
  readonly spanID: string
  readonly operationName: string
  readonly references?: readonly { readonly refType: string; readonly spanID: string }[]
  /** Microseconds since the epoch. */
  readonly startTime: number
  /** Microseconds. */
  readonly duration: number
  readonly tags?: readonly Tag[]
  readonly processID: string
}

interface JaegerTrace {
  readonly spans: readonly JaegerSpan[]
  readonly processes: Readonly<
    Record<string, { readonly serviceName: string; readonly tags?: readonly Tag[] }>
  >
}

export interface Jaeger {
  services(): Promise<readonly string[]>
  /** Returns the spans in the range from all traces of these services, including spans of other services. */
  spans(services: readonly string[], range: TimeRange): Promise<readonly Span[]>
  hasSpans(service: string, range: TimeRange): Promise<boolean>
  trace(traceId: string): Promise<readonly Span[]>
}

const KINDS: ReadonlySet<unknown> = new Set(['server', 'client', 'producer', 'consumer'])
/** Tags that are converted to fields of a span. */
const FIELD_TAGS = new Set([
  'span.kind',
  'error',
  'otel.status_code',
  'otel.status_description',
  'peer.service',
])
/** Process tags that can name the pod, in order of preference. */
const POD_TAGS = ['k8s.pod.name', 'pod', 'hostname', 'host.name']

const toSpan = (span: JaegerSpan, processes: JaegerTrace['processes']): Span => {
  const tags = new Map((span.tags ?? []).map(({ key, value }) => [key, value]))
  const process = processes[span.processID]
  const processTags = new Map((process?.tags ?? []).map(({ key, value }) => [key, value]))
  const parent = span.references?.find(({ refType }) => refType === 'CHILD_OF') ?? span.references?.[0]
  const failed = tags.get('error') === true || tags.get('otel.status_code') === 'ERROR'
  const [message, peer, kind] = ['otel.status_description', 'peer.service', 'span.kind'].map((key) =>
    tags.get(key),
  )
  return {
    // Jaeger omits leading zeros.
    traceId: span.traceID.padStart(32, '0'),
    spanId: span.spanID.padStart(16, '0'),
    ...defined({ parentId: parent?.spanID.padStart(16, '0') }),
    name: span.operationName,
    service: process?.serviceName ?? '',
    pod: String(POD_TAGS.map((key) => processTags.get(key)).find((value) => value !== undefined) ?? ''),
    kind: KINDS.has(kind) ? (kind as Span['kind']) : 'internal',
    start: span.startTime / 1000,
    durationMs: span.duration / 1000,
    status: failed ? 'error' : 'ok',
    ...(message === undefined ? {} : { message: String(message) }),
    ...(peer === undefined ? {} : { peer: String(peer) }),
    attributes: Object.fromEntries([...tags].filter(([key]) => !FIELD_TAGS.has(key))),
  }
}

const toSpans = (response: { data?: readonly JaegerTrace[] | null } | undefined): Span[] =>
  (response?.data ?? []).flatMap(({ spans, processes }) => spans.map((span) => toSpan(span, processes)))

const byStart = (a: Span, b: Span): number => a.start - b.start

export const createJaeger = (get: GetJson): Jaeger => {
  const findSpans = async (service: string, range: TimeRange, limit: number): Promise<Span[]> =>
    toSpans(
      await get('/api/traces', {
        service,
        start: Math.floor(range.from * 1000),
        end: Math.ceil(range.to * 1000),
        limit,
      }),
    )
  const isWithin =
    ({ from, to }: TimeRange) =>
    ({ start }: Span) =>
      start >= from && start < to

  return {
    services: async () => (await get('/api/services'))?.data ?? [],
    async spans(services, range) {
      const spansById = new Map<string, Span>()
      for (const service of services)
        for (const span of await findSpans(service, range, MAX_TRACES))
          spansById.set(`${span.traceId}/${span.spanId}`, span)
      return [...spansById.values()].filter(isWithin(range)).sort(byStart)
    },
    hasSpans: async (service, range) =>
      (await findSpans(service, range, PROBE_LIMIT)).some(
        (span) => span.service === service && isWithin(range)(span),
      ),
    trace: async (traceId) =>
      /^[0-9a-f]{1,32}$/.test(traceId) ? toSpans(await get(`/api/traces/${traceId}`)).sort(byStart) : [],
  }
}
