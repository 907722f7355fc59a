/** Rules of HTTP that do not depend on how messages are transported. */
import type { OutgoingAnswer } from '#world/twin/ports'

/** Shorter than the idle timeout of the servers. */
export const HTTP_CLIENT_IDLE_MS = 30_000

/** How long a server that stops waits for active requests. */
export const HTTP_GRACE_MS = 10_000

/** The answer if HTTP cannot encode that of the service. */
export const INTERNAL_ERROR: OutgoingAnswer = { status: 500, body: { error: 'Internal Server Error' } }

const IDEMPOTENT_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

/** Whether calls with this method can be retried. */
export const isIdempotent = (method: string): boolean => IDEMPOTENT_METHODS.has(method)

export const parseQuery = (text: string): Record<string, string> =>
  text === '' ? {} : Object.fromEntries(new URLSearchParams(text))
