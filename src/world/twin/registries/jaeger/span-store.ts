/** Keeps recent spans by trace, and evicts the oldest traces above a maximum number of spans. */
import type { StoredSpan } from './stored-span.ts'

const MAX_SPANS = 10_000

export interface TraceQuery {
  readonly service: string
  readonly operation?: string | undefined
  readonly limit: number
}

export class SpanStore {
  private readonly traces = new Map<string, StoredSpan[]>()
  private readonly maxSpans: number
  private spanCount = 0

  constructor(maxSpans = MAX_SPANS) {
    this.maxSpans = maxSpans
  }

  add(spans: readonly StoredSpan[]): void {
    for (const span of spans) {
      const trace = this.traces.get(span.traceId)
      // Limits a single trace, which would otherwise evict all others.
      if (trace !== undefined && trace.length >= this.maxSpans) continue
      if (trace) trace.push(span)
      else this.traces.set(span.traceId, [span])
      this.spanCount += 1
    }
    for (const [oldest, trace] of this.traces) {
      if (this.spanCount <= this.maxSpans || this.traces.size === 1) break
      this.traces.delete(oldest)
      this.spanCount -= trace.length
    }
  }

  trace(traceId: string): readonly StoredSpan[] {
    return this.traces.get(traceId) ?? []
  }

  /** Returns the newest traces first. */
  find({ service, operation, limit }: TraceQuery): readonly (readonly StoredSpan[])[] {
    const isMatch = (span: StoredSpan): boolean =>
      span.service === service && (operation === undefined || span.name === operation)
    return [...this.traces.values()]
      .reverse()
      .filter((trace) => trace.some(isMatch))
      .slice(0, limit)
  }

  services(): readonly string[] {
    return this.distinct((span) => span.service)
  }

  operations(service: string): readonly string[] {
    return this.distinct((span) => (span.service === service ? span.name : undefined))
  }

  private distinct(toValue: (span: StoredSpan) => string | undefined): readonly string[] {
    const values = new Set<string>()
    for (const trace of this.traces.values())
      for (const span of trace) {
        const value = toValue(span)
        if (value !== undefined) values.add(value)
      }
    return [...values].sort()
  }
}
