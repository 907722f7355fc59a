/** The gRPC client of a simulated program: it behaves like `createGrpcClient`, on the network of its host. */
import type { GrpcResponseContent, ProgramConnection, ProgramHost, ProgramMessage } from '#spec'
import {
  CallFailure,
  type ClientOptions,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
  withTimeLimit,
} from '#world/twin/ports'
import {
  CONNECT_TIMEOUT_MS,
  createConnectTimeout,
  createDeadlineFailure,
  createGrpcClientOver,
  createPrefaceFailure,
  GRPC_CODE,
  type GrpcSession,
  type GrpcTransport,
  type Target,
  toMetadata,
  toReadFailure,
  UnprocessedCall,
} from '#world/twin/protocols'
import { toConnectionFailure } from '../wire/connection-failure.ts'
import {
  GrpcRefusal,
  GrpcResponse,
  GrpcSettings,
  SETTINGS_MESSAGE,
  toRequestMessage,
} from './grpc-content.ts'

type Host = Pick<ProgramHost, 'network' | 'time' | 'random'>

class SimulatedSession implements GrpcSession {
  readonly #connection: ProgramConnection
  readonly #endListeners: (() => void)[] = []
  #pending = 0
  #isRetired = false
  #isClosing = false

  constructor(connection: ProgramConnection) {
    this.#connection = connection
    connection.onClose(() => this.retire())
  }

  get isUsable(): boolean {
    return !this.#isRetired && !this.#connection.isClosed
  }

  onEnd(listener: () => void): void {
    this.#endListeners.push(listener)
  }

  /** Accepts no more calls. */
  retire(): void {
    this.#isRetired = true
    for (const listener of this.#endListeners.splice(0)) listener()
  }

  async send(message: ProgramMessage): Promise<ServiceAnswer> {
    this.#pending += 1
    let content: unknown
    try {
      content = (await this.#connection.exchange(message)).content
    } catch (error) {
      const failure = toConnectionFailure(error, 'EOF')
      throw failure.kind === 'reset' ? toReadFailure(failure.message) : failure
    } finally {
      this.#pending -= 1
      if (this.#isClosing && this.#pending === 0) this.#connection.close()
    }
    return toAnswer(content, this)
  }

  close(): void {
    this.#isClosing = true
    if (this.#pending === 0) this.#connection.close()
  }

  destroy(): void {
    this.#connection.close()
  }
}

const shakeHands = async (connection: ProgramConnection): Promise<SimulatedSession> => {
  try {
    const { content } = await connection.exchange(SETTINGS_MESSAGE)
    if (content instanceof GrpcSettings) return new SimulatedSession(connection)
  } catch {
    // The connection ended before the server sent its settings.
  }
  connection.close()
  throw createPrefaceFailure()
}

const connect = ({ network, time }: Host, { host, port }: Target): Promise<SimulatedSession> => {
  const giveUp = new AbortController()
  let connection: ProgramConnection | undefined
  const open = async (): Promise<SimulatedSession> => {
    connection = await network.connect(host, port, giveUp.signal)
    return shakeHands(connection)
  }
  return withTimeLimit(time, open(), CONNECT_TIMEOUT_MS, () => {
    giveUp.abort()
    connection?.close()
    return createConnectTimeout()
  })
}

const toAnswer = (content: unknown, session: SimulatedSession): ServiceAnswer => {
  if (content instanceof GrpcRefusal) {
    session.retire()
    throw new UnprocessedCall(
      'reset',
      toReadFailure('Stream closed with error code NGHTTP2_REFUSED_STREAM').message,
    )
  }
  if (!(content instanceof GrpcResponse)) throw toReadFailure('EOF')
  const { code, reason, headers, message }: GrpcResponseContent = content
  if (code !== GRPC_CODE.ok) throw new CallFailure('answer', reason, code)
  return { status: GRPC_CODE.ok, headers, body: message }
}

const createTransport = (host: Host): GrpcTransport<SimulatedSession> => ({
  time: host.time,
  random: () => host.random.next(),
  connect: (target) => connect(host, target),
  exchange: (session, call: ServiceCall, remainingMs) => {
    const message = toRequestMessage(`/${call.target}`, toMetadata(call.headers), call.body)
    return withTimeLimit(host.time, session.send(message), remainingMs, createDeadlineFailure)
  },
})

export const createSimulatedGrpcClient = (host: Host, options: ClientOptions): ServiceClient =>
  createGrpcClientOver(options, createTransport(host))
