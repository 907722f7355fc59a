/** Who gets line breaks: those who ask for them, and people with a browser or curl. */
import type { IncomingMessage } from 'node:http'

const YES = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

export const isPretty = (request: IncomingMessage, query: URLSearchParams): boolean => {
  const asked = query.get('pretty')
  if (asked) return YES.has(asked)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '')
}
