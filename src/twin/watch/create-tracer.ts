/** Makes spans, and hands them on when they have ended. */
import type { Span } from '../../spec/index.ts'
import type { OpenSpan, TraceContext, Tracer } from '../ports/index.ts'

export interface SpanExporter {
  add(span: Span): void
  /** Sends what is there and waits for it to be gone, for a short while at most. */
  close(): Promise<void>
  readonly dropped: number
}

const word = (): string => ((Math.random() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0')

/** Moves on evenly even while somebody turns the clock. */
const now = (): number => performance.timeOrigin + performance.now()

export const createTracer = (
  { service, pod }: { readonly service: string; readonly pod: string },
  exporter: Pick<SpanExporter, 'add'>,
): Tracer => ({
  start: ({ name, kind, peer, attributes }, parent): OpenSpan => {
    const start = now()
    const context: TraceContext = {
      traceId: parent?.traceId ?? word() + word() + word() + word(),
      spanId: word() + word(),
    }
    const own: Record<string, string | number | boolean> = { ...attributes }
    let ended = false
    return {
      context,
      set: (attribute, value) => {
        own[attribute] = value
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
          attributes: own,
        })
      },
    }
  },
})
