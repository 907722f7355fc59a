/** Health endpoints; a server that answers is healthy. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { respondText } from '../answer/respond.ts'

const CHECKS = ['ping', 'log', 'etcd', 'poststarthook/start-controllers']
const ROOTS = ['healthz', 'livez', 'readyz']

export const healthPaths: readonly string[] = ROOTS.flatMap((root) => [
  `/${root}`,
  ...CHECKS.map((check) => `/${root}/${check}`),
])

/** Returns false if there is no such check. */
export const serveHealth = (
  [root, ...check]: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): boolean => {
  if (check.length > 0 && !CHECKS.includes(check.join('/'))) return false
  const verbose = request.url?.includes('verbose') === true && check.length === 0
  const lines = CHECKS.map((check) => `[+]${check} ok\n`).join('')
  respondText(response, 200, verbose ? `${lines}${root} check passed\n` : 'ok')
  return true
}
