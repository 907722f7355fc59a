/** One connection of a Thrift client, with one call at a time. */
import { connect, type Socket } from 'node:net'
import { CallFailure, toCallFailure } from '#world/twin/ports'
import { parseThriftMessage, type ThriftMessage } from './binary-protocol.ts'
import { createFrameSplitter } from './frame-splitter.ts'

export interface ThriftConnection {
  readonly isClosed: boolean
  /** Resolves with the next message. Rejects with a CallFailure; the connection is unusable afterwards. */
  exchange(frame: Buffer): Promise<ThriftMessage>
  close(): void
}

const openSocket = ({ host, port }: { host: string; port: number }): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // Pods have IPv4 addresses only.
    const socket = connect({ host, port, family: 4, autoSelectFamily: false, noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })

export const openThriftConnection = async (
  address: () => Promise<{ host: string; port: number }>,
): Promise<ThriftConnection> => {
  const socket = await address()
    .then(openSocket)
    .catch((error: unknown) => {
      throw toCallFailure(error)
    })
  let waiting: { resolve(message: ThriftMessage): void; reject(failure: CallFailure): void } | undefined
  let broken: CallFailure | undefined
  const fail = (failure: CallFailure): void => {
    broken ??= failure
    waiting?.reject(broken)
    socket.destroy()
  }
  const split = createFrameSplitter((frame) => {
    const message = parseThriftMessage(frame)
    waiting?.resolve(message)
    waiting = undefined
  })
  socket.on('data', (received) => {
    try {
      split(received)
    } catch (error) {
      fail(new CallFailure('answer', (error as Error).message))
    }
  })
  socket.on('error', (error) => fail(toCallFailure(error)))
  socket.on('close', () => fail(new CallFailure('reset', 'No more data to read.')))
  return {
    get isClosed() {
      return broken !== undefined || socket.readableEnded
    },
    exchange: (frame) =>
      new Promise((resolve, reject) => {
        if (broken) return reject(broken)
        waiting = { resolve, reject }
        socket.write(frame)
      }),
    close: () => fail(new CallFailure('reset', 'the client was closed')),
  }
}
