/** A span as the trace store keeps it, whatever shape it came in. Times are microseconds, as Jaeger counts them. */
export interface StoredSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentId?: string
  readonly service: string
  readonly name: string
  readonly start: number
  readonly duration: number
  readonly tags: Readonly<Record<string, string | number | boolean>>
}
