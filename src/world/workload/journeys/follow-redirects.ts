/** Follows redirects within the same origin, as browsers do. */
import type { Exchange } from './exchange.ts'
import type { UserAnswer, UserRequest } from './user-request.ts'

const MAX_REDIRECTS = 10

/** The target of a redirect within the same origin; undefined if the response is not such a redirect. */
const findRedirect = (
  { origin, target }: UserRequest,
  { status, headers }: UserAnswer,
): string | undefined => {
  const { location } = headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  const url = URL.parse(location, origin + target)
  return url?.origin === origin ? url.pathname + url.search : undefined
}

/** Only 307 and 308 keep the method and the body, as in browsers. */
const toRedirectedRequest = (request: UserRequest, target: string, status: number): UserRequest => {
  if (status === 307 || status === 308 || request.method === 'HEAD') return { ...request, target }
  const { 'content-type': _, ...headers } = request.headers
  return { ...request, target, method: 'GET', headers, body: undefined }
}

/** Rejects after ten redirects. */
export const followRedirects = async (
  request: UserRequest,
  signal: AbortSignal,
  exchange: Exchange,
): Promise<UserAnswer> => {
  let current = request
  for (let hops = 0; ; hops += 1) {
    const answer = await exchange(current, signal)
    const target = request.follow ? findRedirect(current, answer) : undefined
    if (target === undefined) return answer
    if (hops === MAX_REDIRECTS) throw new Error(`more than ${MAX_REDIRECTS} redirects`)
    current = toRedirectedRequest(current, target, answer.status)
  }
}
