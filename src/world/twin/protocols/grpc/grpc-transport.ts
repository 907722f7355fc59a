/** How a gRPC client reaches its servers: over sockets, or over the network of a simulated host. */
import type { ProgramTime } from '#spec'
import { CallFailure, type ServiceAnswer, type ServiceCall } from '#world/twin/ports'

export interface Target {
  readonly host: string
  readonly port: number
}

/** A connection that carries calls. */
export interface GrpcSession {
  /** False once the connection has ended, or the server has announced its end. */
  readonly isUsable: boolean
  /** Calls the listener when the session is no longer usable. */
  onEnd(listener: () => void): void
  /** Closes the connection after its pending calls. */
  close(): void
  destroy(): void
}

export interface GrpcTransport<S extends GrpcSession> {
  readonly time: Pick<ProgramTime, 'monotonic' | 'after'>
  /** Returns a number in [0, 1). */
  readonly random: () => number
  /** Resolves when the server has answered the handshake. */
  connect(target: Target): Promise<S>
  /** Rejects with a CallFailure at the deadline, which is `remainingMs` away. */
  exchange(session: S, call: ServiceCall, remainingMs: number | undefined): Promise<ServiceAnswer>
}

/** The server has not processed the call, so it can be retried. */
export class UnprocessedCall extends CallFailure {}

export const createDeadlineFailure = (): CallFailure =>
  new CallFailure('timeout', 'context deadline exceeded')

/** The failure of a call whose connection ended. */
export const toReadFailure = (reason: string): CallFailure =>
  new CallFailure('reset', `error reading from server: ${reason}`)

export const createPrefaceFailure = (): CallFailure =>
  new CallFailure('reset', 'error reading server preface: EOF')

export const createConnectTimeout = (): CallFailure => new CallFailure('timeout', 'i/o timeout')

/** Time limit of one attempt to connect. */
export const CONNECT_TIMEOUT_MS = 20_000
