/** A user of the system, with the state that lasts from one journey to the next. */
import { type Cookies, createCookies } from './cookies.ts'

export interface User {
  /** The variable `user` of expressions. */
  readonly facts: { readonly index: number; readonly name: string }
  /** The variable `session` of expressions. */
  readonly session: Record<string, unknown>
  readonly cookies: Cookies
  /** Runs of journeys that other journeys need, by name; each resolves to false if the run failed. */
  readonly prepared: Map<string, Promise<boolean>>
  /** Reports the status of a failed request. After 401 and 403 the user logs in again. */
  onFailedRequest(status: number): void
}

/** `now` returns milliseconds since the epoch. */
export const createUser = (index: number, now: () => number): User => {
  const prepared = new Map<string, Promise<boolean>>()
  return {
    facts: { index, name: `user-${index}` },
    session: {},
    cookies: createCookies(now),
    prepared,
    onFailedRequest(status) {
      if (status === 401 || status === 403) prepared.clear()
    },
  }
}
