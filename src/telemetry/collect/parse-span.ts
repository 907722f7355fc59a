/** Reads spans that a pod sent: whatever is not a span, too large for one, or of another day, is refused. */
import type { Span } from '../../spec/index.ts'

const KINDS: ReadonlySet<unknown> = new Set(['server', 'client', 'producer', 'consumer', 'internal'])
const LONGEST_NAME = 512
const LONGEST_TEXT = 4096
const MOST_ATTRIBUTES = 64
/** Of all attributes together, in letters. */
const MOST_LETTERS = 16 * 1024
/** What is further from now would stretch the time that all others are seen in. */
const DAY_MS = 86_400_000
const TRACE_ID = /^[0-9a-f]{32}$/
const SPAN_ID = /^[0-9a-f]{16}$/

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= longest
const isDuration = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < DAY_MS

const isAttribute = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)

const toAttributes = (value: unknown): Span['attributes'] => {
  if (typeof value !== 'object' || value === null) return {}
  const kept: [string, string | number | boolean][] = []
  let room = MOST_LETTERS
  for (const [name, one] of Object.entries(value).slice(0, MOST_ATTRIBUTES)) {
    if (name.length > LONGEST_NAME || !isAttribute(one)) continue
    const short = typeof one === 'string' ? one.slice(0, LONGEST_TEXT) : one
    room -= name.length + String(short).length
    if (room < 0) break
    kept.push([name, short])
  }
  return Object.fromEntries(kept)
}

export interface SpanSender {
  readonly service: string
  readonly pod: string
  /** When it came, in milliseconds since the epoch. */
  readonly now: number
}

/** Nothing where it is no span. */
export const parseSpan = (value: unknown, { service, pod, now }: SpanSender): Span | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const { traceId, spanId, parentId, name, kind, start, durationMs, status, message, peer, attributes } =
    value as Record<string, unknown>
  const isSpan =
    typeof traceId === 'string' &&
    TRACE_ID.test(traceId) &&
    typeof spanId === 'string' &&
    SPAN_ID.test(spanId) &&
    isText(name, LONGEST_NAME) &&
    KINDS.has(kind) &&
    typeof start === 'number' &&
    Math.abs(start - now) < DAY_MS &&
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
    // The clock of a pod may be wrong, and who is in there may lie. What is dated ahead would be of the next episode, too.
    start: Math.min(start, now),
    durationMs,
    status,
    ...(typeof message === 'string' ? { message: message.slice(0, LONGEST_TEXT) } : {}),
    ...(isText(peer, LONGEST_NAME) ? { peer } : {}),
    attributes: toAttributes(attributes),
  }
}
