/** Creates spans, and exports them when they end. */
import type { ProgramRandom, Span } from '#spec'
import type { Address, OpenSpan, TraceContext, Tracer, TwinHost } from '#world/twin/ports'

/** Eight hexadecimal digits. */
const randomWord = (random: ProgramRandom): string =>
  ((random.next() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0')

const createTraceId = (random: ProgramRandom): string =>
  randomWord(random) + randomWord(random) + randomWord(random) + randomWord(random)

interface TracerSettings {
  readonly service: string
  readonly pod: string
  /** The agent of a trace store to which the spans are also sent. */
  readonly agent?: Address | undefined
}

/** Takes the monotonic time, so that a change of the clock does not change the duration of spans. */
export const createTracer = (
  { service, pod, agent }: TracerSettings,
  host: Pick<TwinHost, 'time' | 'random' | 'exportSpan'>,
): Tracer => ({
  start: ({ name, kind, peer, attributes }, parent): OpenSpan => {
    const start = host.time.monotonic()
    const context: TraceContext = {
      traceId: parent?.traceId ?? createTraceId(host.random),
      spanId: randomWord(host.random) + randomWord(host.random),
    }
    const spanAttributes: Record<string, string | number | boolean> = { ...attributes }
    let ended = false
    return {
      context,
      set: (attribute, value) => {
        spanAttributes[attribute] = value
      },
      end: (failure) => {
        if (ended) return
        ended = true
        const span: Span = {
          ...context,
          ...(parent === undefined ? {} : { parentId: parent.spanId }),
          name,
          service,
          pod,
          kind,
          start,
          durationMs: Math.round((host.time.monotonic() - start) * 1000) / 1000,
          status: failure === undefined ? 'ok' : 'error',
          ...(failure === undefined ? {} : { message: failure }),
          ...(peer === undefined ? {} : { peer }),
          attributes: spanAttributes,
        }
        host.exportSpan(span, agent)
      },
    }
  },
})
