/** The variable `request` of expressions. */
import type { IncomingRequest } from '#world/twin/ports'

const parseCookies = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (text ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.includes('='))
      .map((pair) => {
        const separator = pair.indexOf('=')
        return [pair.slice(0, separator), decode(pair.slice(separator + 1).replace(/^"|"$/g, ''))]
      }),
  )

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The body and the cookies are parsed on access. */
export const toRequestValue = (
  request: IncomingRequest,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> => ({
  method: request.method,
  path: request.path,
  params,
  query: request.query,
  headers: request.headers,
  get cookies() {
    return parseCookies(request.headers.cookie)
  },
  get body() {
    return request.body
  },
})
