/** The cookies of one user. */
import { CookieJar } from 'tough-cookie'

export interface Cookies {
  /** Stores the `set-cookie` headers of a response from `origin`; ignores invalid ones. */
  store(origin: string, headers: readonly string[]): void
  /** The value of the `cookie` header for a URL; undefined if no cookie matches. */
  headerFor(url: string): string | undefined
}

export const createCookies = (): Cookies => {
  const jar = new CookieJar()
  return {
    store(origin, headers) {
      // Stored for the root: the services set no `Path`, but their cookies are meant for the whole site.
      for (const header of headers) jar.setCookieSync(header, `${origin}/`, { ignoreError: true })
    },
    headerFor: (url) => jar.getCookieStringSync(url) || undefined,
  }
}
