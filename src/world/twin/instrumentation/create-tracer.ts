/** Creates spans, and exports them when they end. */
import type { ProgramRandom, Span } from '#spec'
import type { Address, OpenSpan, TraceContext, Tracer, TwinHost } from '#world/twin/ports'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Eight hexadecimal digits. */
const randomWord = (random: ProgramRandom): string => {
  const word = (random.next() * 0x1_0000_0000) >>> 0
  return HEX[word >>> 24]! + HEX[(word >>> 16) & 0xff]! + HEX[(word >>> 8) & 0xff]! + HEX[word & 0xff]!
}

const createTraceId = (random: ProgramRandom): string =>
  randomWord(random) + randomWord(random) + randomWord(random) + randomWord(random)

interface TracerSettings {
  readonly service: string
  readonly pod: string
  /** The agent of a trace store to which the spans are also sent. */
  readonly agent?: Address | undefined
}

type SpanDraft = { -readonly [K in keyof Span]?: Span[K] }

/** Sets members one by one, because conditional object spread would take most of the time of a span. */
const toSpan = (
  { traceId, spanId }: TraceContext,
  parent: TraceContext | undefined,
  { name, service, pod, kind }: Pick<Span, 'name' | 'service' | 'pod' | 'kind'>,
): SpanDraft =>
  parent === undefined
    ? { traceId, spanId, name, service, pod, kind }
    : { traceId, spanId, parentId: parent.spanId, name, service, pod, kind }

/** Takes the monotonic time, so that a change of the clock does not change the duration of spans. */
export const createTracer = (
  { service, pod, agent }: TracerSettings,
  host: Pick<TwinHost, 'time' | 'random' | 'exportSpan'>,
): Tracer => ({
  start: ({ name, kind, peer, attributes = {} }, parent): OpenSpan => {
    const start = host.time.monotonic()
    const context: TraceContext = {
      traceId: parent?.traceId ?? createTraceId(host.random),
      spanId: randomWord(host.random) + randomWord(host.random),
    }
    let spanAttributes: Record<string, string | number | boolean> | undefined
    let ended = false
    return {
      context,
      set: (attribute, value) => {
        spanAttributes ??= { ...attributes }
        spanAttributes[attribute] = value
      },
      end: (failure) => {
        if (ended) return
        ended = true
        const span = toSpan(context, parent, { name, service, pod, kind })
        span.start = start
        span.durationMs = Math.round((host.time.monotonic() - start) * 1000) / 1000
        span.status = failure === undefined ? 'ok' : 'error'
        if (failure !== undefined) span.message = failure
        if (peer !== undefined) span.peer = peer
        span.attributes = spanAttributes ?? attributes
        host.exportSpan(span as Span, agent)
      },
    }
  },
})
