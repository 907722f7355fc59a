/** Converts headers to gRPC metadata and back; omits the headers of the protocol itself. */
import type { IncomingHttpHeaders } from 'node:http2'
import type { Headers } from '#world/twin/ports'

const RESERVED_HEADERS = new Set([
  'content-type',
  'content-length',
  'te',
  'user-agent',
  'grpc-timeout',
  'grpc-encoding',
  'grpc-accept-encoding',
  'grpc-status',
  'grpc-message',
  'connection',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

export const fromMetadata = (received: IncomingHttpHeaders): Headers => {
  const headers: Record<string, string> = {}
  for (const name in received) {
    const value = received[name]
    if (value === undefined || name.startsWith(':') || RESERVED_HEADERS.has(name)) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

export const toMetadata = (headers: Headers): Record<string, string> => {
  const metadata: Record<string, string> = {}
  for (const name in headers)
    if (!name.startsWith(':') && !RESERVED_HEADERS.has(name)) metadata[name] = headers[name]!
  return metadata
}

/** Uses milliseconds if they fit into eight digits, and seconds otherwise. */
export const toGrpcTimeout = (milliseconds: number): string => {
  const whole = Math.max(1, Math.ceil(milliseconds))
  return whole < 1e8 ? `${whole}m` : `${Math.ceil(whole / 1000)}S`
}
