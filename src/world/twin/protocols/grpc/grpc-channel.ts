/**
 * The connections of a gRPC client: one per address, used in turn; a DNS name counts as one address. They are
 * opened on demand and reopened after a loss. While no server is reachable, calls fail at once until the next
 * attempt is due. There is no keepalive, as in the originals: only TCP detects that a server has disappeared.
 */
import type { ClientOptions } from '#world/twin/ports'
import { CallFailure, toCallFailure } from '#world/twin/ports'
import { connectToAny } from './connect-to-any.ts'
import { dial, toKey } from './dial.ts'
import type { GrpcSession, GrpcTransport } from './grpc-transport.ts'
import { createReconnectBackoff } from './reconnect-backoff.ts'
import { SessionTable } from './session-table.ts'

/** An unreachable address is not tried again within this time while others work. */
const UNREACHABLE_RETRY_MS = 30_000

type Address = Pick<ClientOptions, 'address' | 'isAddressFixed'>

export interface GrpcChannel<S extends GrpcSession> {
  /** Returns the next open session in turn; undefined if there is none. Throws if the channel is closed. */
  usableSession(): S | undefined
  /** Opens a session. Rejects with a CallFailure, at once until the next attempt is due. */
  open(): Promise<S>
  close(): void
}

/** Returns a function that connects to the next address unless it is connected or recently failed. */
const createAddressProber = <S extends GrpcSession>(
  { address, isAddressFixed = false }: Address,
  transport: GrpcTransport<S>,
  sessions: SessionTable<S>,
): (() => void) => {
  // It is called while there is a session.
  if (isAddressFixed) return () => {}
  const { time } = transport
  /** When each failed address can be tried again. */
  const retryAt = new Map<string, number>()
  let isProbing = false

  const connectNext = async (): Promise<void> => {
    const target = await address()
    const key = toKey(target)
    if (sessions.has(key) || time.monotonic() < (retryAt.get(key) ?? 0)) return
    try {
      sessions.add(await dial(transport, target))
      retryAt.delete(key)
    } catch {
      retryAt.set(key, time.monotonic() + UNREACHABLE_RETRY_MS)
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

export const createGrpcChannel = <S extends GrpcSession>(
  options: Address,
  transport: GrpcTransport<S>,
): GrpcChannel<S> => {
  const { time } = transport
  const backoff = createReconnectBackoff(transport.random)
  const sessions = new SessionTable<S>()
  const connectNext = createAddressProber(options, transport, sessions)
  let opening: Promise<S> | undefined
  let unreachable: { readonly failure: CallFailure; readonly until: number } | undefined
  let turn = 0

  const open = async (): Promise<S> => {
    try {
      const opened = await connectToAny({
        time,
        nextAddress: options.address,
        connect: (target) => dial(transport, target),
        discard: (late) => late.session.destroy(),
      })
      backoff.succeeded()
      unreachable = undefined
      return sessions.add(opened)
    } catch (error) {
      const failure = toCallFailure(error)
      unreachable = { failure, until: time.monotonic() + backoff.failed() }
      throw failure
    } finally {
      opening = undefined
    }
  }

  return {
    usableSession: () => {
      if (sessions.isClosed) throw new CallFailure('reset', 'grpc: the client connection is closing')
      const usable = sessions.listUsable()
      if (usable.length === 0) return undefined
      connectNext()
      turn = (turn + 1) % usable.length
      return usable[turn]!
    },
    open: async () => {
      if (unreachable && time.monotonic() < unreachable.until) throw unreachable.failure
      opening ??= open()
      return opening
    },
    close: () => sessions.close(),
  }
}
