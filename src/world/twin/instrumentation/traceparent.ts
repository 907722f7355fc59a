/** Parses and formats the W3C header `traceparent`: the trace and the span of a request. */
import type { TraceContext } from '#world/twin/ports'

const PATTERN = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}/

export const parseTraceparent = (text: string | undefined): TraceContext | undefined => {
  const found = text === undefined ? null : PATTERN.exec(text)
  return found === null ? undefined : { traceId: found[1]!, spanId: found[2]! }
}

export const toTraceparent = ({ traceId, spanId }: TraceContext): string => `00-${traceId}-${spanId}-01`
