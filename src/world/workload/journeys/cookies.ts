/** The cookies of one user. */
import { Cookie, CookieJar } from 'tough-cookie'

export interface Cookies {
  /** Stores the `set-cookie` headers of a response from `origin`; ignores invalid ones. */
  store(origin: string, headers: readonly string[]): void
  /** The value of the `cookie` header for a URL; undefined if no cookie matches. */
  headerFor(url: string): string | undefined
}

/** The number of URLs for which the matching cookies are kept. */
const MAX_URLS = 100

/** `now` returns milliseconds since the epoch. */
export const createCookies = (now: () => number): Cookies => {
  const jar = new CookieJar()
  // The jar would compare with the clock of the machine.
  const expiresAt = new WeakMap<Cookie, number>()
  /** By origin and name: the header that was stored last. Many services repeat theirs in each response. */
  const stored = new Map<string, { readonly header: string; readonly cookie: Cookie }>()
  /** The cookies that match a URL, until others are stored. */
  const matching = new Map<string, readonly Cookie[]>()

  const updateExpiry = (cookie: Cookie, date: Date): void =>
    void expiresAt.set(cookie, cookie.expiryTime(date) ?? Number.POSITIVE_INFINITY)
  const storeHeader = (origin: string, header: string): void => {
    const date = new Date(now())
    const key = `${origin} ${header.slice(0, header.indexOf('='))}`
    const last = stored.get(key)
    if (last?.header === header) {
      updateExpiry(last.cookie, date)
      return
    }
    const cookie = Cookie.parse(header)
    if (cookie === undefined) return
    updateExpiry(cookie, date)
    // Stored for the root: the services set no `Path`, but their cookies are meant for the whole site.
    jar.setCookieSync(cookie, `${origin}/`, { ignoreError: true, now: date })
    stored.set(key, { header, cookie })
    matching.clear()
  }
  const match = (url: string): readonly Cookie[] => {
    const known = matching.get(url)
    if (known !== undefined) return known
    const found = jar.getCookiesSync(url, { expire: false, sort: true })
    if (matching.size >= MAX_URLS) matching.clear()
    matching.set(url, found)
    return found
  }
  return {
    store(origin, headers) {
      for (const header of headers) storeHeader(origin, header)
    },
    headerFor: (url) =>
      match(url)
        .filter((cookie) => expiresAt.get(cookie)! > now())
        .map((cookie) => cookie.cookieString())
        .join('; ') || undefined,
  }
}
