/** What a twin tells of itself: spans, measures, lines. Never waits and never fails. */
import type { LogLevel, Span } from '../../spec/index.ts'

/** The place of a request in its trace, as `traceparent` carries it. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
}

/** A span that has begun. */
export interface OpenSpan {
  readonly context: TraceContext
  set(name: string, value: string | number | boolean): void
  end(failure?: string): void
}

export interface Tracer {
  /** A new trace where there is no parent. */
  start(
    span: Pick<Span, 'name' | 'kind' | 'peer'> & { readonly attributes?: Span['attributes'] },
    parent?: TraceContext,
  ): OpenSpan
}

export interface Meter {
  /** Of requests served: the endpoint, not the path. */
  served(endpoint: string, status: string, durationMs: number): void
  /** Of requests made. */
  called(peer: string, operation: string, outcome: string, durationMs: number): void
  /** The text of Prometheus. */
  text(): string
}

export type Log = (level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>) => void
