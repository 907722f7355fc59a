/** The cookies of one user. */
import { Cookie, CookieJar } from 'tough-cookie'

export interface Cookies {
  /** Stores the `set-cookie` headers of a response from `origin`; ignores invalid ones. */
  store(origin: string, headers: readonly string[]): void
  /** The value of the `cookie` header for a URL; undefined if no cookie matches. */
  headerFor(url: string): string | undefined
}

/** `now` returns milliseconds since the epoch. */
export const createCookies = (now: () => number): Cookies => {
  const jar = new CookieJar()
  // The jar would compare with the clock of the machine.
  const expiresAt = new WeakMap<Cookie, number>()
  return {
    store(origin, headers) {
      for (const header of headers) {
        const cookie = Cookie.parse(header)
        if (cookie === undefined) continue
        const date = new Date(now())
        expiresAt.set(cookie, cookie.expiryTime(date) ?? Number.POSITIVE_INFINITY)
        // Stored for the root: the services set no `Path`, but their cookies are meant for the whole site.
        jar.setCookieSync(cookie, `${origin}/`, { ignoreError: true, now: date })
      }
    },
    headerFor: (url) =>
      jar
        .getCookiesSync(url, { expire: false, sort: true })
        .filter((cookie) => expiresAt.get(cookie)! > now())
        .map((cookie) => cookie.cookieString())
        .join('; ') || undefined,
  }
}
