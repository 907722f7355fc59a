/** Creates spans like those of a system of forty services: two in five belong to a queue, and one in fifty failed. */
import type { Span } from '#spec'

const KINDS = ['server', 'client', 'client', 'producer', 'consumer'] as const
const SPANS_PER_TRACE = 20

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')

/** Returns the `n`th span; `start` is in milliseconds since the epoch. */
export const createSpan = (n: number, start: number): Span => {
  const kind = KINDS[n % KINDS.length]!
  const failed = n % 50 === 0
  const service = `ts-service-${n % 40}`
  return {
    traceId: hex(Math.floor(n / SPANS_PER_TRACE), 32),
    spanId: hex(n, 16),
    ...(n % SPANS_PER_TRACE === 0 ? {} : { parentId: hex(n - 1, 16) }),
    name: `GET /api/v1/service/operation${n % 7}`,
    service,
    pod: `${service}-6d4f8b9c7-x2x4z`,
    kind,
    start,
    durationMs: (n * 7919) % 100,
    status: failed ? 'error' : 'ok',
    ...(failed ? { message: `failed for reason ${n % 3}` } : {}),
    ...(kind === 'client' || kind === 'producer' ? { peer: `ts-service-${(n * 7) % 40}` } : {}),
    attributes: { 'http.request.method': 'GET', 'http.response.status_code': failed ? 500 : 200 },
  }
}
