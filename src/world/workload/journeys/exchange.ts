/** One HTTP request of a user and its response, apart from the connection that carries them. */
import { defined } from '#kit'
import type { UserAnswer, UserRequest } from './user-request.ts'

/** Stores the cookies of the response. Rejects with an error of Node, or if `signal` is aborted. */
export type Exchange = (request: UserRequest, signal: AbortSignal) => Promise<UserAnswer>

/**
 * Longer bodies are read to the end but truncated, because hundreds of them at once would fill the memory.
 */
export const MAX_TEXT_BYTES = 512 * 2 ** 10
const IDEMPOTENT_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

/** Escapes the characters that are not allowed in a request line. */
const toSafeTarget = (target: string): string => target.replace(/[^\x21-\x7e]/gu, encodeURIComponent)

/** The path and the headers of a request, with the cookies of the user. */
export const toRequestHead = ({
  origin,
  target,
  headers,
  body,
  cookies,
}: UserRequest): { readonly path: string; readonly headers: Record<string, string> } => {
  const path = toSafeTarget(target)
  const cookie = cookies.headerFor(origin + path)
  return {
    path,
    headers: {
      accept: '*/*',
      ...defined({ cookie }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    },
  }
}

/** Whether a request is repeated: the server closed a kept-alive connection just as it was reused. */
export const isStale = (
  { method }: UserRequest,
  error: NodeJS.ErrnoException,
  { isReused, signal }: { readonly isReused: boolean; readonly signal: AbortSignal },
): boolean => isReused && !signal.aborted && IDEMPOTENT_METHODS.has(method) && error.code === 'ECONNRESET'
