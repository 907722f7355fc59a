/** The Thrift client of a simulated program: it behaves like `createThriftClient`, on the network of its host. */
import type { ProgramConnection, ProgramHost } from '#spec'
import {
  CallFailure,
  type ClientOptions,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
  toCallFailure,
} from '#world/twin/ports'
import {
  CLOSED_BY_CLIENT,
  CLOSED_BY_SERVER,
  createThriftClientOver,
  type ThriftConnection,
  toExceptionFailure,
  toMethodName,
} from '#world/twin/protocols'
import { toConnectionFailure } from '../wire/connection-failure.ts'
import { ThriftException, ThriftReply, toRequestMessage } from './thrift-content.ts'

type Host = Pick<ProgramHost, 'network' | 'time'>

const toAnswer = (content: unknown): ServiceAnswer => {
  if (content instanceof ThriftException) throw toExceptionFailure(content.text)
  if (!(content instanceof ThriftReply))
    throw new CallFailure('answer', 'no version in the message: old client?')
  return { status: 0, headers: {}, body: content.message }
}

class SimulatedThriftConnection implements ThriftConnection {
  readonly #connection: ProgramConnection
  #isClosedByClient = false

  constructor(connection: ProgramConnection) {
    this.#connection = connection
  }

  get isClosed(): boolean {
    return this.#connection.isClosed
  }

  async call(call: ServiceCall): Promise<ServiceAnswer> {
    const message = toRequestMessage(toMethodName(call), call.headers, call.body)
    let content: unknown
    try {
      content = (await this.#connection.exchange(message)).content
    } catch (error) {
      this.#connection.close()
      throw toConnectionFailure(error, this.#isClosedByClient ? CLOSED_BY_CLIENT : CLOSED_BY_SERVER)
    }
    return toAnswer(content)
  }

  close(): void {
    this.#isClosedByClient = true
    this.#connection.close()
  }
}

const open = async ({ network }: Host, address: ClientOptions['address']): Promise<ThriftConnection> => {
  try {
    const { host, port } = await address()
    return new SimulatedThriftConnection(await network.connect(host, port))
  } catch (error) {
    throw toCallFailure(error)
  }
}

export const createSimulatedThriftClient = (host: Host, options: ClientOptions): ServiceClient =>
  createThriftClientOver(options, { time: host.time, open: (address) => open(host, address) })
