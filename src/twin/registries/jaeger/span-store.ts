/** The last spans that came, by trace; the oldest traces go when there are too many. */
import type { StoredSpan } from './stored-span.ts'

const MOST_SPANS = 10_000

export interface TraceQuery {
  readonly service: string
  readonly operation?: string | undefined
  readonly limit: number
}

export class SpanStore {
  private readonly traces = new Map<string, StoredSpan[]>()
  private readonly most: number
  private held = 0

  constructor(most = MOST_SPANS) {
    this.most = most
  }

  add(spans: readonly StoredSpan[]): void {
    for (const span of spans) {
      const trace = this.traces.get(span.traceId)
      // One that never ends would push out all others, and go on.
      if (trace !== undefined && trace.length >= this.most) continue
      if (trace) trace.push(span)
      else this.traces.set(span.traceId, [span])
      this.held += 1
    }
    for (const [oldest, trace] of this.traces) {
      if (this.held <= this.most || this.traces.size === 1) break
      this.traces.delete(oldest)
      this.held -= trace.length
    }
  }

  trace(traceId: string): readonly StoredSpan[] {
    return this.traces.get(traceId) ?? []
  }

  /** The newest first. */
  find({ service, operation, limit }: TraceQuery): readonly (readonly StoredSpan[])[] {
    const isMeant = (span: StoredSpan): boolean =>
      span.service === service && (operation === undefined || span.name === operation)
    return [...this.traces.values()]
      .reverse()
      .filter((trace) => trace.some(isMeant))
      .slice(0, limit)
  }

  services(): readonly string[] {
    return this.distinct((span) => span.service)
  }

  operations(service: string): readonly string[] {
    return this.distinct((span) => (span.service === service ? span.name : undefined))
  }

  private distinct(read: (span: StoredSpan) => string | undefined): readonly string[] {
    const found = new Set<string>()
    for (const trace of this.traces.values())
      for (const span of trace) {
        const value = read(span)
        if (value !== undefined) found.add(value)
      }
    return [...found].sort()
  }
}
