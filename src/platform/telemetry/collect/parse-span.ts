/** Parses spans that a pod sent; rejects invalid and oversized ones, and spans that start more than a day from now. */
import type { Span } from '#spec'

const KINDS: ReadonlySet<unknown> = new Set(['server', 'client', 'producer', 'consumer', 'internal'])
const MAX_NAME_CHARACTERS = 512
export const MAX_TEXT_CHARACTERS = 4096
const MAX_ATTRIBUTES = 64
/** Total length of names and values. */
const MAX_ATTRIBUTE_CHARACTERS = 16 * 1024
/** Spans further away would extend the time range of the telemetry. */
export const MAX_SPAN_OFFSET_MS = 86_400_000
const MAX_DURATION_MS = 86_400_000
const TRACE_ID = /^[0-9a-f]{32}$/
const SPAN_ID = /^[0-9a-f]{16}$/

const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= maxLength
const isDuration = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < MAX_DURATION_MS

const isAttribute = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)

const toAttributes = (value: unknown): Span['attributes'] => {
  if (typeof value !== 'object' || value === null) return {}
  const kept: [string, string | number | boolean][] = []
  let remaining = MAX_ATTRIBUTE_CHARACTERS
  for (const [name, attribute] of Object.entries(value).slice(0, MAX_ATTRIBUTES)) {
    if (name.length > MAX_NAME_CHARACTERS || !isAttribute(attribute)) continue
    const truncated = typeof attribute === 'string' ? attribute.slice(0, MAX_TEXT_CHARACTERS) : attribute
    remaining -= name.length + String(truncated).length
    if (remaining < 0) break
    kept.push([name, truncated])
  }
  return Object.fromEntries(kept)
}

export interface SpanSender {
  readonly service: string
  readonly pod: string
  /** Time of arrival in milliseconds since the epoch. */
  readonly now: number
}

/** Returns undefined if the value is not a valid span. */
export const parseSpan = (value: unknown, { service, pod, now }: SpanSender): Span | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const { traceId, spanId, parentId, name, kind, start, durationMs, status, message, peer, attributes } =
    value as Record<string, unknown>
  const isSpan =
    typeof traceId === 'string' &&
    TRACE_ID.test(traceId) &&
    typeof spanId === 'string' &&
    SPAN_ID.test(spanId) &&
    isText(name, MAX_NAME_CHARACTERS) &&
    KINDS.has(kind) &&
    typeof start === 'number' &&
    Math.abs(start - now) < MAX_SPAN_OFFSET_MS &&
    isDuration(durationMs) &&
    (status === 'ok' || status === 'error')
  if (!isSpan) return undefined
  return {
    traceId,
    spanId,
    ...(typeof parentId === 'string' && SPAN_ID.test(parentId) ? { parentId } : {}),
    name,
    service,
    pod,
    kind: kind as Span['kind'],
    // The clock of a pod may be wrong or manipulated. A span in the future would leak into the next episode.
    start: Math.min(start, now),
    durationMs,
    status,
    ...(typeof message === 'string' ? { message: message.slice(0, MAX_TEXT_CHARACTERS) } : {}),
    ...(isText(peer, MAX_NAME_CHARACTERS) ? { peer } : {}),
    attributes: toAttributes(attributes),
  }
}
