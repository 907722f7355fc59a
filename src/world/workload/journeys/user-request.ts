/** A request of a user, and its response. */
import type { Cookies } from './cookies.ts'

export interface UserRequest {
  readonly method: string
  /** For example, `http://127.0.0.1:4711`. */
  readonly origin: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly cookies: Cookies
  readonly follow: boolean
  readonly timeoutMs: number
}

export interface UserAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Whether the body was longer than `text`. */
  readonly isTruncated?: boolean
}
