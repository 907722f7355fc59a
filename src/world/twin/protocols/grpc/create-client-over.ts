/** A gRPC client over any transport: a channel, deadlines, and the retry of calls that no server processed. */
import { type ClientOptions, type ServiceClient, withTimeLimit } from '#world/twin/ports'
import { createGrpcChannel } from './grpc-channel.ts'
import {
  createDeadlineFailure,
  type GrpcSession,
  type GrpcTransport,
  UnprocessedCall,
} from './grpc-transport.ts'

export const createClientOver = <S extends GrpcSession>(
  options: ClientOptions,
  transport: GrpcTransport<S>,
): ServiceClient => {
  const channel = createGrpcChannel(options, transport)
  const { time } = transport
  /** The deadline includes the time to connect. */
  const open = (limitMs: number | undefined): Promise<S> =>
    withTimeLimit(time, channel.open(), limitMs, createDeadlineFailure)
  return {
    call: async (call) => {
      const { timeoutMs } = call
      const deadline = timeoutMs === undefined ? undefined : time.monotonic() + timeoutMs
      const remainingMs = (): number | undefined => {
        const remaining = deadline === undefined ? undefined : deadline - time.monotonic()
        if (remaining !== undefined && remaining <= 0) throw createDeadlineFailure()
        return remaining
      }
      const session = channel.usableSession() ?? (await open(timeoutMs))
      try {
        return await transport.exchange(session, call, remainingMs())
      } catch (error) {
        if (!(error instanceof UnprocessedCall)) throw error
      }
      const next = channel.usableSession() ?? (await open(remainingMs()))
      return transport.exchange(next, call, remainingMs())
    },
    close: () => channel.close(),
  }
}
