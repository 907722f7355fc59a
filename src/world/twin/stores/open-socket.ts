/** Opens the socket of a connection to a store. */
import { connect, type Socket } from 'node:net'
import { CallFailure, type StoreClientOptions, toCallFailure } from '#world/twin/ports'

export type SocketOptions = Pick<StoreClientOptions, 'address' | 'connect'>

/**
 * Resolves when the socket is connected. Rejects with a CallFailure; its kind is `timeout` if the signal
 * aborts.
 */
export const openSocket = async (
  { address, connect: open }: SocketOptions,
  signal?: AbortSignal,
): Promise<Socket> => {
  if (open !== undefined) return open()
  const { host, port } = await address().catch((error: unknown) => {
    throw toCallFailure(error)
  })
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    const onAbort = (): void => {
      socket.destroy(new CallFailure('timeout', `connect ETIMEDOUT ${host}:${port}`))
    }
    socket.once('error', (error) => {
      signal?.removeEventListener('abort', onAbort)
      reject(toCallFailure(error))
    })
    socket.once('connect', () => {
      signal?.removeEventListener('abort', onAbort)
      socket.removeAllListeners('error')
      resolve(socket)
    })
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort)
  })
}
