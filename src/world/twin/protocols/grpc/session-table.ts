/** The open sessions of a gRPC channel by address. */
import type { Connection } from './dial.ts'
import type { GrpcSession } from './grpc-transport.ts'

export class SessionTable<S extends GrpcSession> {
  readonly #sessions = new Map<string, S>()
  /** The list of the sessions; undefined after a change. */
  #usable: readonly S[] | undefined
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  has(key: string): boolean {
    return this.#sessions.has(key)
  }

  /** Keeps the session until it ends. */
  add({ key, session }: Connection<S>): S {
    this.#sessions.set(key, session)
    this.#usable = undefined
    session.onEnd(() => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key)
      this.#usable = undefined
    })
    if (this.#isClosed) session.destroy()
    return session
  }

  listUsable(): readonly S[] {
    this.#usable ??= [...this.#sessions.values()]
    // A session can end without a call of its listeners, which follows later.
    if (this.#usable.every(({ isUsable }) => isUsable)) return this.#usable
    for (const [key, { isUsable }] of this.#sessions) if (!isUsable) this.#sessions.delete(key)
    this.#usable = [...this.#sessions.values()]
    return this.#usable
  }

  /** Closes the sessions after their pending calls. */
  close(): void {
    this.#isClosed = true
    for (const session of this.#sessions.values()) session.close()
  }
}
