/** Creates spans, and exports them when they end. */
import type { Span } from '#spec'
import type { OpenSpan, TraceContext, Tracer } from '#world/twin/ports'

export interface SpanExporter {
  add(span: Span): void
  /** Sends the pending spans and waits a limited time for completion. */
  close(): Promise<void>
  readonly dropped: number
}

const randomWord = (): string => ((Math.random() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0')

/** Monotonic: unaffected by changes to the system clock. */
const now = (): number => performance.timeOrigin + performance.now()

export const createTracer = (
  { service, pod }: { readonly service: string; readonly pod: string },
  exporter: Pick<SpanExporter, 'add'>,
): Tracer => ({
  start: ({ name, kind, peer, attributes }, parent): OpenSpan => {
    const start = now()
    const context: TraceContext = {
      traceId: parent?.traceId ?? randomWord() + randomWord() + randomWord() + randomWord(),
      spanId: randomWord() + randomWord(),
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
        exporter.add({
          ...context,
          ...(parent === undefined ? {} : { parentId: parent.spanId }),
          name,
          service,
          pod,
          kind,
          start,
          durationMs: Math.round((now() - start) * 1000) / 1000,
          status: failure === undefined ? 'ok' : 'error',
          ...(failure === undefined ? {} : { message: failure }),
          ...(peer === undefined ? {} : { peer }),
          attributes: spanAttributes,
        })
      },
    }
  },
})
