/** Somebody who uses the system: what he knows and carries from one journey to the next. */
import { type Cookies, createCookies } from './cookies.ts'

export interface User {
  /** What expressions see as `user`. */
  readonly facts: { readonly index: number; readonly name: string }
  /** What they see as `session`. */
  readonly session: Record<string, unknown>
  readonly cookies: Cookies
  /** Journeys that he has walked because others need them, or is walking; false where that failed. */
  readonly prepared: Map<string, Promise<boolean>>
  /** Told of the status of every request that was not ok: who is not let in must log in again. */
  wasRefused(status: number): void
}

export const createUser = (index: number, now: () => number): User => {
  const prepared = new Map<string, Promise<boolean>>()
  return {
    facts: { index, name: `user-${index}` },
    session: {},
    cookies: createCookies(now),
    prepared,
    wasRefused(status) {
      if (status === 401 || status === 403) prepared.clear()
    },
  }
}
