/** Opens a connection of a gRPC channel. */
import { CallFailure, toCallFailure } from '#world/twin/ports'
import type { GrpcSession, GrpcTransport, Target } from './grpc-transport.ts'

export interface Connection<S extends GrpcSession> {
  /** `host:port` */
  readonly key: string
  readonly session: S
}

export const toKey = ({ host, port }: Target): string => `${host}:${port}`

/** Rejects with a CallFailure whose message reads like that of a gRPC library. */
export const dial = async <S extends GrpcSession>(
  transport: Pick<GrpcTransport<S>, 'connect'>,
  target: Target,
): Promise<Connection<S>> => {
  const key = toKey(target)
  try {
    return { key, session: await transport.connect(target) }
  } catch (error) {
    const { kind, message } = toCallFailure(error)
    const reason = `"transport: Error while dialing: dial tcp ${key}: ${message}"`
    throw new CallFailure(kind, `connection error: desc = ${reason}`)
  }
}
