/**
 * The connections of a gRPC client: one per address, used in turn; a DNS name counts as one address. They are
 * opened on demand and reopened after a loss. While no server is reachable, calls fail at once until the next
 * attempt is due. There is no keepalive, as in the originals: only TCP detects that a server has disappeared.
 */
import type { ClientHttp2Session } from 'node:http2'
import type { ClientOptions } from '#world/twin/ports'
import { CallFailure, toCallFailure } from '#world/twin/ports'
import { connectToAny } from './connect-to-any.ts'
import { dial, toKey } from './dial.ts'
import { createReconnectBackoff } from './reconnect-backoff.ts'
import { SessionTable } from './session-table.ts'

/** An unreachable address is not tried again within this time while others work. */
const UNREACHABLE_RETRY_MS = 30_000

export interface GrpcChannel {
  /** Rejects with a CallFailure. */
  session(): Promise<ClientHttp2Session>
  close(): void
}

/** Returns a function that connects to the next address unless it is connected or recently failed. */
const createAddressProber = (
  { address }: Pick<ClientOptions, 'address'>,
  sessions: SessionTable,
): (() => void) => {
  /** When each failed address can be tried again. */
  const retryAt = new Map<string, number>()
  let isProbing = false

  const connectNext = async (): Promise<void> => {
    const target = await address()
    const key = toKey(target)
    if (sessions.has(key) || performance.now() < (retryAt.get(key) ?? 0)) return
    try {
      sessions.add(await dial(target))
      retryAt.delete(key)
    } catch {
      retryAt.set(key, performance.now() + UNREACHABLE_RETRY_MS)
    }
  }

  return () => {
    if (isProbing) return
    isProbing = true
    connectNext()
      .catch(() => {})
      .finally(() => {
        isProbing = false
      })
  }
}

export const createGrpcChannel = (options: Pick<ClientOptions, 'address'>): GrpcChannel => {
  const backoff = createReconnectBackoff()
  const sessions = new SessionTable()
  const connectNext = createAddressProber(options, sessions)
  let opening: Promise<ClientHttp2Session> | undefined
  let unreachable: { readonly failure: CallFailure; readonly until: number } | undefined
  let turn = 0

  const open = async (): Promise<ClientHttp2Session> => {
    try {
      const opened = await connectToAny(options.address, dial, (late) => late.session.destroy())
      backoff.succeeded()
      unreachable = undefined
      return sessions.add(opened)
    } catch (error) {
      const failure = toCallFailure(error)
      unreachable = { failure, until: performance.now() + backoff.failed() }
      throw failure
    } finally {
      opening = undefined
    }
  }

  return {
    session: async () => {
      if (sessions.isClosed) throw new CallFailure('reset', 'grpc: the client connection is closing')
      const usable = sessions.listUsable()
      if (usable.length > 0) {
        connectNext()
        turn = (turn + 1) % usable.length
        return usable[turn]!
      }
      if (unreachable && performance.now() < unreachable.until) throw unreachable.failure
      opening ??= open()
      return opening
    },
    close: () => sessions.close(),
  }
}
