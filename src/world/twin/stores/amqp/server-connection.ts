/** One connection at the broker: handshake, login, channels, heartbeats, close. */
import type { ByteStream } from '../byte-stream.ts'
import { processInput } from '../process-input.ts'
import type { StoreHost } from '../store-host.ts'
import { AmqpFailure } from './amqp-failure.ts'
import type { Broker } from './broker.ts'
import type { Table } from './field-codec.ts'
import {
  type Content,
  FRAME_MAX,
  FrameReader,
  HEARTBEAT_FRAME,
  type Incoming,
  PROTOCOL_HEADER,
  toFrames,
} from './frames.ts'
import type { MessageQueue } from './message-queue.ts'
import { type Method, type MethodName, numbersOf } from './methods.ts'
import { type ChannelConnection, ServerChannel } from './server-channel.ts'

const CHANNEL_MAX = 2047
const HEARTBEAT_SECONDS = 60

/** Time limit until the connection is open. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** Time limit for the client to confirm `connection.close`. */
const CLOSE_TIMEOUT_MS = 5_000

export const VERSION = '3.8.19'

const SERVER_PROPERTIES = {
  product: 'RabbitMQ',
  version: VERSION,
  platform: 'Erlang/OTP',
  capabilities: {
    publisher_confirms: true,
    'basic.nack': true,
    consumer_cancel_notify: true,
    authentication_failure_close: true,
    per_consumer_qos: true,
  },
}

interface ConnectionOptions {
  readonly socket: ByteStream
  readonly time: StoreHost['time']
  readonly broker: Broker
  readonly fails?: ((name: string) => boolean) | undefined
  log(level: 'info' | 'warn' | 'error', text: string): void
  onMethod(name: string, durationMs: number, failure?: string): void
}

export class ServerConnection {
  readonly #options: ConnectionOptions
  readonly #reader = new FrameReader()
  readonly #channels = new Map<number, ServerChannel>()
  readonly #closing = new Set<number>()
  readonly #exclusive = new Set<MessageQueue>()
  readonly #incoming: (Incoming & { readonly method: Method })[] = []
  #greeting = Buffer.alloc(0)
  #phase: 'greeting' | 'login' | 'tuning' | 'opening' | 'open' | 'closing' = 'greeting'
  #cancelTimeout: () => void
  #cancelHeartbeat: (() => void) | undefined
  #lastReceivedAt: number

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { socket, time } = options
    this.#lastReceivedAt = time.monotonic()
    this.#cancelTimeout = time.after(HANDSHAKE_TIMEOUT_MS, () => this.#abort('handshake_timeout'))
    socket.on('drain', () => {
      for (const channel of this.#channels.values()) channel.resume()
    })
    socket.once('close', () => this.#end())
    processInput(socket, {
      receive: (chunk) => this.#receive(chunk),
      processNext: async () => {
        const incoming = this.#incoming.shift()
        if (incoming === undefined) return false
        await this.#handle(incoming)
        return true
      },
      onMalformed: ({ message }) => this.#abort(message),
    })
  }

  #receive(chunk: Buffer): void {
    this.#lastReceivedAt = this.#options.time.monotonic()
    if (this.#phase !== 'greeting') this.#enqueue(this.#reader.push(chunk))
    else this.#negotiateVersion(chunk)
  }

  #abort(reason: string): void {
    this.#options.log('error', `closing AMQP connection: ${reason}`)
    this.#options.socket.destroy()
  }

  /** Answers a client of another protocol version with the supported one. */
  #negotiateVersion(chunk: Buffer): void {
    this.#greeting = Buffer.concat([this.#greeting, chunk])
    if (this.#greeting.length < PROTOCOL_HEADER.length) return
    const { socket } = this.#options
    if (!this.#greeting.subarray(0, PROTOCOL_HEADER.length).equals(PROTOCOL_HEADER)) {
      socket.write(PROTOCOL_HEADER)
      socket.destroySoon()
      return
    }
    this.#phase = 'login'
    this.#send(0, 'connection.start', {
      major: 0,
      minor: 9,
      serverProperties: SERVER_PROPERTIES,
      mechanisms: 'PLAIN AMQPLAIN',
      locales: 'en_US',
    })
    this.#enqueue(this.#reader.push(this.#greeting.subarray(PROTOCOL_HEADER.length)))
  }

  /** Methods run in order of arrival. */
  #enqueue(incoming: readonly Incoming[]): void {
    for (const item of incoming) if (item.method) this.#incoming.push(item as Incoming & { method: Method })
  }

  async #handle(incoming: Incoming & { readonly method: Method }): Promise<void> {
    const { channel, method } = incoming
    const { time, onMethod } = this.#options
    const startedAt = time.monotonic()
    try {
      if (this.#options.socket.destroyed) return
      if (this.#options.fails?.(method.name) === true) throw new AmqpFailure('INTERNAL_ERROR', method.name)
      if (channel === 0) await this.#handleConnection(method)
      else await this.#handleChannel(incoming)
      onMethod(method.name, time.monotonic() - startedAt)
    } catch (error) {
      onMethod(method.name, time.monotonic() - startedAt, (error as Error).message)
      this.#sendFailure(channel, method.name, error)
    }
  }

  #handleConnection({ name, values }: Method): void {
    if (name === 'connection.start-ok' && this.#phase === 'login') this.#login(values)
    else if (name === 'connection.tune-ok' && this.#phase === 'tuning') {
      this.#phase = 'opening'
      this.#startHeartbeat(values.heartbeat)
    } else if (name === 'connection.open' && this.#phase === 'opening') {
      if (values.virtualHost !== '/')
        throw new AmqpFailure('NOT_ALLOWED', `vhost ${values.virtualHost} not found`)
      this.#phase = 'open'
      this.#cancelTimeout()
      this.#send(0, 'connection.open-ok')
    } else if (name === 'connection.close') {
      this.#end()
      this.#send(0, 'connection.close-ok')
      this.#options.socket.destroySoon()
    } else if (name === 'connection.close-ok') this.#options.socket.destroySoon()
    else throw new AmqpFailure('COMMAND_INVALID', `${name} is not expected now`)
  }

  #login({ mechanism, response }: Method['values']): void {
    const [, user = '', password = ''] = String(response).split('\0')
    if (mechanism !== 'PLAIN' || !this.#options.broker.isCorrectPassword(user, password)) {
      this.#options.log('error', `PLAIN login refused: user '${user}' - invalid credentials`)
      throw new AmqpFailure(
        'ACCESS_REFUSED',
        `Login was refused using authentication mechanism ${mechanism}. For details see the broker logfile.`,
      )
    }
    this.#phase = 'tuning'
    this.#options.log('info', `connection: user '${user}' authenticated and granted access to vhost '/'`)
    const tune = { channelMax: CHANNEL_MAX, frameMax: FRAME_MAX, heartbeat: HEARTBEAT_SECONDS }
    this.#send(0, 'connection.tune', tune)
  }

  async #handleChannel({ channel, method, content }: Incoming & { readonly method: Method }): Promise<void> {
    if (this.#phase !== 'open') throw new AmqpFailure('COMMAND_INVALID', `${method.name} before login`)
    if (this.#closing.has(channel)) {
      if (method.name === 'channel.close-ok') this.#closing.delete(channel)
      if (method.name === 'channel.close') this.#send(channel, 'channel.close-ok')
      return
    }
    if (method.name === 'channel.open') {
      if (this.#channels.has(channel)) throw new AmqpFailure('CHANNEL_ERROR', "second 'channel.open' seen")
      if (channel > CHANNEL_MAX)
        throw new AmqpFailure(
          'NOT_ALLOWED',
          `number of channels opened has reached the maximum (${CHANNEL_MAX})`,
        )
      const channelConnection: ChannelConnection = {
        send: (name, values, body) => this.#send(channel, name, values, body),
        canSend: () => !this.#options.socket.writableNeedDrain,
      }
      this.#channels.set(channel, new ServerChannel(this.#options.broker, this.#exclusive, channelConnection))
      this.#send(channel, 'channel.open-ok')
      return
    }
    const openChannel = this.#channels.get(channel)
    if (!openChannel) throw new AmqpFailure('CHANNEL_ERROR', `expected 'channel.open'`)
    if (method.name === 'channel.close') {
      this.#channels.delete(channel)
      openChannel.close()
      this.#send(channel, 'channel.close-ok')
      return
    }
    await openChannel.run(method, content)
  }

  #sendFailure(channel: number, name: MethodName, error: unknown): void {
    const failure =
      error instanceof AmqpFailure ? error : new AmqpFailure('PRECONDITION_FAILED', (error as Error).message)
    const values = { replyCode: failure.code, replyText: failure.message.slice(0, 250), ...numbersOf(name) }
    this.#options.log('error', `operation ${name} caused an exception: "${failure.message}"`)
    if (channel === 0 || failure.closesConnection) {
      this.#phase = 'closing'
      this.#send(0, 'connection.close', values)
      this.#cancelTimeout()
      const { time, socket } = this.#options
      this.#cancelTimeout = time.after(CLOSE_TIMEOUT_MS, () => void socket.destroy())
      return
    }
    this.#channels.get(channel)?.close()
    this.#channels.delete(channel)
    this.#closing.add(channel)
    this.#send(channel, 'channel.close', values)
  }

  #send(channel: number, name: MethodName, values?: Table, content?: Content): void {
    const { socket } = this.#options
    if (!socket.destroyed && !socket.writableEnded) socket.write(toFrames(channel, name, values, content))
  }

  /** Sends heartbeats, and closes the connection after two heartbeat intervals without input. */
  #startHeartbeat(seconds: number): void {
    if (seconds === 0) return
    const { socket, time, log } = this.#options
    this.#cancelHeartbeat = time.after(seconds * 500, () => {
      if (time.monotonic() - this.#lastReceivedAt > 2 * seconds * 1000) {
        log('error', `missed heartbeats from client, timeout: ${seconds}s`)
        socket.destroy()
        return
      }
      if (!socket.writableEnded) socket.write(HEARTBEAT_FRAME)
      this.#startHeartbeat(seconds)
    })
  }

  #end(): void {
    this.#cancelTimeout()
    this.#cancelHeartbeat?.()
    for (const channel of this.#channels.values()) channel.close()
    this.#channels.clear()
    for (const queue of this.#exclusive) this.#options.broker.delete(queue).catch(() => {})
    this.#exclusive.clear()
  }
}
