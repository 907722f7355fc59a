/** A stored span, independent of its input format. Times are in microseconds, as in Jaeger. */
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
