/** One connection of a Thrift client over a socket. */
import { connect, type Socket } from 'node:net'
import {
  CallFailure,
  type ClientOptions,
  type ServiceAnswer,
  type ServiceCall,
  toCallFailure,
} from '#world/twin/ports'
import { readApplicationException } from './application-exception.ts'
import {
  MESSAGE,
  parseThriftMessage,
  type ThriftMessage,
  type ThriftValue,
  toThriftFrame,
} from './binary-protocol.ts'
import { CARRIER_FIELD, MESSAGE_FIELD, SUCCESS_FIELD } from './call-fields.ts'
import type { ThriftConnection } from './create-client-over.ts'
import { createFrameSplitter } from './frame-splitter.ts'
import { CLOSED_BY_CLIENT, CLOSED_BY_SERVER, toExceptionFailure, toMethodName } from './thrift-call.ts'

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

const toMessage = (call: ServiceCall, sequence: number): ThriftMessage => ({
  type: MESSAGE.call,
  name: toMethodName(call),
  sequence,
  fields: new Map<number, ThriftValue>([
    [CARRIER_FIELD, new Map(Object.entries(call.headers))],
    [MESSAGE_FIELD, JSON.stringify(call.body ?? null)],
  ]),
})

const toAnswer = (message: ThriftMessage): ServiceAnswer => {
  if (message.type === MESSAGE.exception) throw toExceptionFailure(readApplicationException(message).text)
  const result = message.fields.get(SUCCESS_FIELD)
  try {
    return { status: 0, headers: {}, body: typeof result === 'string' ? JSON.parse(result) : null }
  } catch {
    throw new CallFailure('answer', `the result of ${message.name} is not JSON`)
  }
}

export const openThriftConnection = async (address: ClientOptions['address']): Promise<ThriftConnection> => {
  const socket = await address()
    .then(openSocket)
    .catch((error: unknown) => {
      throw toCallFailure(error)
    })
  let waiting: { resolve(message: ThriftMessage): void; reject(failure: CallFailure): void } | undefined
  let broken: CallFailure | undefined
  let sequence = 0
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
  socket.on('close', () => fail(new CallFailure('reset', CLOSED_BY_SERVER)))
  const exchange = (frame: Buffer): Promise<ThriftMessage> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(broken)
      waiting = { resolve, reject }
      socket.write(frame)
    })
  return {
    get isClosed() {
      return broken !== undefined || socket.readableEnded
    },
    call: async (call) => {
      sequence = (sequence + 1) & 0x7fffffff
      return toAnswer(await exchange(toThriftFrame(toMessage(call, sequence))))
    },
    close: () => fail(new CallFailure('reset', CLOSED_BY_CLIENT)),
  }
}
