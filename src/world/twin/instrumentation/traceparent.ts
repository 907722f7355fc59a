/** Parses and formats the W3C header `traceparent`: the trace and the span of a request. */
import type { TraceContext } from '#world/twin/ports'

const PATTERN = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}/
const TRACE_START = 3
const TRACE_END = TRACE_START + 32
const SPAN_START = TRACE_END + 1
const SPAN_END = SPAN_START + 16

export const parseTraceparent = (text: string | undefined): TraceContext | undefined => {
  if (text === undefined || !PATTERN.test(text)) return undefined
  return { traceId: text.slice(TRACE_START, TRACE_END), spanId: text.slice(SPAN_START, SPAN_END) }
}

export const toTraceparent = ({ traceId, spanId }: TraceContext): string => `00-${traceId}-${spanId}-01`
