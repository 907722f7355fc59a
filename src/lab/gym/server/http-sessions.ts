/** The sessions of clients that use HTTP: each request names its session. */
import { RemediumError } from '#spec'
import type { ServedSession } from './served-session.ts'

export interface HttpSessions {
  open(): ServedSession
  find(id: unknown): ServedSession | undefined
  /** Throws if there is no session with this id. */
  get(id: unknown): ServedSession
  /** Returns whether there was a session with this id. */
  close(id: string): Promise<boolean>
}

/** `open` calls its argument when the session has ended. */
export const createHttpSessions = (open: (onEnd: () => void) => ServedSession): HttpSessions => {
  const sessions = new Map<string, ServedSession>()
  const find = (id: unknown): ServedSession | undefined =>
    typeof id === 'string' ? sessions.get(id) : undefined
  return {
    find,
    open() {
      const session: ServedSession = open(() => sessions.delete(session.id))
      sessions.set(session.id, session)
      return session
    },
    get(id) {
      const session = find(id)
      if (session !== undefined) return session
      const message =
        id === undefined
          ? 'The request names no session.'
          : 'There is no such session; it may have been idle for too long.'
      throw new RemediumError('bad-argument', message, {
        hint: 'Call /reset without a session. Its reply has a session_id; pass it as the header X-Session-Id or as the field session_id.',
      })
    },
    async close(id) {
      const session = sessions.get(id)
      await session?.close()
      return session !== undefined
    },
  }
}
