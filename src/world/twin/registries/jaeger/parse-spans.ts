/** Parses received spans: OTLP in JSON, or JSON lines of twins. */
import type { Span } from '#spec'
import type { StoredSpan } from './stored-span.ts'

type Scalar = string | number | boolean

interface OtlpValue {
  readonly stringValue?: string
  readonly intValue?: string | number
  readonly doubleValue?: number
  readonly boolValue?: boolean
}

interface OtlpAttribute {
  readonly key: string
  readonly value?: OtlpValue
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string | number
  readonly endTimeUnixNano: string | number
  readonly attributes?: readonly OtlpAttribute[]
  readonly status?: { readonly code?: number | string; readonly message?: string }
}

interface OtlpBatch {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly OtlpAttribute[] }
    readonly scopeSpans?: readonly { readonly spans?: readonly OtlpSpan[] }[]
  }[]
}

const toScalar = ({ stringValue, intValue, doubleValue, boolValue }: OtlpValue = {}): Scalar =>
  stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue ?? ''

const toTags = (attributes: readonly OtlpAttribute[] = []): Record<string, Scalar> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, toScalar(value)]))

const fromOtlp = (batch: OtlpBatch): StoredSpan[] =>
  batch.resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(toTags(resource?.attributes)['service.name'] ?? 'unknown_service')
    return scopeSpans
      .flatMap(({ spans = [] }) => spans)
      .map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        ...(span.parentSpanId ? { parentId: span.parentSpanId } : {}),
        service,
        name: span.name,
        start: Math.round(Number(span.startTimeUnixNano) / 1000),
        duration: Math.round((Number(span.endTimeUnixNano) - Number(span.startTimeUnixNano)) / 1000),
        tags: {
          ...toTags(span.attributes),
          ...(Number(span.status?.code) === 2
            ? { error: true, 'otel.status_description': span.status?.message ?? '' }
            : {}),
        },
      }))
  })

const fromTwin = (span: Span): StoredSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId ? { parentId: span.parentId } : {}),
  service: span.service,
  name: span.name,
  start: Math.round(span.start * 1000),
  duration: Math.round(span.durationMs * 1000),
  tags: {
    ...span.attributes,
    'span.kind': span.kind,
    ...(span.status === 'error' ? { error: true, 'otel.status_description': span.message ?? '' } : {}),
  },
})

/** Throws if the text has neither format. */
export const parseSpans = (text: string): readonly StoredSpan[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const value = JSON.parse(line) as OtlpBatch | { readonly spans: readonly Span[] }
      return 'resourceSpans' in value ? fromOtlp(value) : value.spans.map(fromTwin)
    })
