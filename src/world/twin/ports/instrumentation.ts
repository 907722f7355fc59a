/** The telemetry of a twin: spans, metrics and logs. Its functions do not block and do not throw. */
import type { LogLevel, Span } from '#spec'

/** The position of a request in its trace, as in the header `traceparent`. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
}

/** A span that has started. */
export interface OpenSpan {
  readonly context: TraceContext
  set(name: string, value: string | number | boolean): void
  end(failure?: string): void
}

export interface Tracer {
  /** Starts a span. Without `parent`, the span starts a new trace. */
  start(
    span: Pick<Span, 'name' | 'kind' | 'peer'> & { readonly attributes?: Span['attributes'] },
    parent?: TraceContext,
  ): OpenSpan
}

export interface Meter {
  /** Counts a served request; `endpoint` is the name of the endpoint, not the path of the request. */
  served(endpoint: string, status: string, durationMs: number): void
  /** Counts a call to an upstream. */
  called(peer: string, operation: string, outcome: string, durationMs: number): void
  /** All metrics in Prometheus format. */
  text(): string
}

export type Log = (level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>) => void
