/** Whether to indent JSON: on request, and for browsers, curl and wget. */
import type { IncomingMessage } from 'node:http'

const TRUE_VALUES = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

export const isPretty = (request: IncomingMessage, query: URLSearchParams): boolean => {
  const requested = query.get('pretty')
  if (requested) return TRUE_VALUES.has(requested)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '')
}
