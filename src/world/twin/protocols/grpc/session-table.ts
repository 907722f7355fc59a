/** The open HTTP/2 sessions of a gRPC channel by address. */
import type { ClientHttp2Session } from 'node:http2'
import type { Connection } from './dial.ts'

export class SessionTable {
  readonly #sessions = new Map<string, ClientHttp2Session>()
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  has(key: string): boolean {
    return this.#sessions.has(key)
  }

  /** Keeps the session until it closes or the server announces its end. */
  add({ key, session }: Connection): ClientHttp2Session {
    const remove = (): void => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key)
    }
    this.#sessions.set(key, session)
    session.once('goaway', remove)
    session.once('close', remove)
    if (this.#isClosed) session.destroy()
    return session
  }

  listUsable(): readonly ClientHttp2Session[] {
    // A closed session emits `close` only after a delay.
    for (const [key, { closed, destroyed }] of this.#sessions)
      if (closed || destroyed) this.#sessions.delete(key)
    return [...this.#sessions.values()]
  }

  /** Closes the sessions after their pending calls. */
  close(): void {
    this.#isClosed = true
    for (const session of this.#sessions.values()) session.close()
  }
}
