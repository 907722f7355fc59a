/** Reads spans that a pod sent: whatever is not a span, or too large for one, is refused. */
import type { Span } from '../../spec/index.ts'

const KINDS: ReadonlySet<unknown> = new Set(['server', 'client', 'producer', 'consumer', 'internal'])
const LONGEST_NAME = 512
const LONGEST_TEXT = 4096
const MOST_ATTRIBUTES = 64
const TRACE_ID = /^[0-9a-f]{32}$/
const SPAN_ID = /^[0-9a-f]{16}$/

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= longest
const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < 1e15

const toAttributes = (value: unknown): Span['attributes'] => {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_ATTRIBUTES)
      .filter(
        ([name, one]) => name.length <= LONGEST_NAME && ['string', 'number', 'boolean'].includes(typeof one),
      )
      .map(([name, one]) => [name, typeof one === 'string' ? one.slice(0, LONGEST_TEXT) : one]),
  )
}

/** Nothing where it is no span. */
export const parseSpan = (value: unknown): Span | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const {
    traceId,
    spanId,
    parentId,
    name,
    service,
    pod,
    kind,
    start,
    durationMs,
    status,
    message,
    peer,
    attributes,
  } = value as Record<string, unknown>
  const isSpan =
    typeof traceId === 'string' &&
    TRACE_ID.test(traceId) &&
    typeof spanId === 'string' &&
    SPAN_ID.test(spanId) &&
    [name, service, pod].every((text) => isText(text, LONGEST_NAME)) &&
    KINDS.has(kind) &&
    isTime(start) &&
    isTime(durationMs) &&
    (status === 'ok' || status === 'error')
  if (!isSpan) return undefined
  return {
    traceId,
    spanId,
    ...(typeof parentId === 'string' && SPAN_ID.test(parentId) ? { parentId } : {}),
    name: name as string,
    service: service as string,
    pod: pod as string,
    kind: kind as Span['kind'],
    start,
    durationMs,
    status,
    ...(typeof message === 'string' ? { message: message.slice(0, LONGEST_TEXT) } : {}),
    ...(isText(peer, LONGEST_NAME) ? { peer } : {}),
    attributes: toAttributes(attributes),
  }
}
