/** A request as expressions see it. */
import type { IncomingRequest } from '../ports/index.ts'

const parseCookies = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (text ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.includes('='))
      .map((pair) => {
        const mark = pair.indexOf('=')
        return [pair.slice(0, mark), decode(pair.slice(mark + 1).replace(/^"|"$/g, ''))]
      }),
  )

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The body and the cookies are parsed when they are first looked at. */
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
