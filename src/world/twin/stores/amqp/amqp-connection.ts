/** A client connection to an AMQP broker, with one channel in confirm mode. */
import { CallFailure, type StoreLogin, toCallFailure, withTimeLimit } from '#world/twin/ports'
import type { ByteStream } from '../byte-stream.ts'
import { createTimeout } from '../connection-pool.ts'
import type { StoreHost } from '../store-host.ts'
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
import type { Method, MethodName } from './methods.ts'

const CHANNEL = 1
const ACCESS_REFUSED = 403

/** Time limit of the handshake: a process that accepts connections but does not answer is not a broker. */
const HANDSHAKE_TIMEOUT_MS = 10_000

interface Waiter {
  readonly name: MethodName
  resolve(values: Method['values']): void
  reject(failure: CallFailure): void
}

export class AmqpConnection {
  readonly #socket: ByteStream
  readonly #time: StoreHost['time']
  readonly #reader = new FrameReader()
  readonly #replies: Waiter[] = []
  readonly #confirms = new Map<number, Omit<Waiter, 'name'>>()
  readonly #endListeners: ((failure: CallFailure) => void)[] = []
  #publishedCount = 0
  #cancelHeartbeat: (() => void) | undefined
  #lastReceivedAt: number
  #onDelivery: ((values: Method['values'], content: Content) => void) | undefined
  #failure: CallFailure | undefined

  constructor(socket: ByteStream, { time }: Pick<StoreHost, 'time'>) {
    this.#socket = socket
    this.#time = time
    this.#lastReceivedAt = time.monotonic()
    socket.on('data', (chunk) => {
      this.#lastReceivedAt = time.monotonic()
      try {
        for (const incoming of this.#reader.push(chunk)) this.#receive(incoming)
      } catch (error) {
        this.#end(new CallFailure('reset', (error as Error).message))
      }
    })
    socket.once('error', (error) => this.#end(toCallFailure(error)))
    socket.once('close', () => this.#end(new CallFailure('reset', 'the broker closed the connection')))
  }

  get closed(): boolean {
    return this.#failure !== undefined
  }

  /** The listener is called once, when the connection is lost or closed. */
  onEnd(listener: (failure: CallFailure) => void): void {
    this.#endListeners.push(listener)
  }

  async open({ user, password }: { readonly user: string; readonly password: string }): Promise<void> {
    const started = this.#wait('connection.start')
    this.#socket.write(PROTOCOL_HEADER)
    await started
    const tune = await this.#call(0, 'connection.start-ok', 'connection.tune', {
      clientProperties: { product: 'twin', capabilities: { authentication_failure_close: true } },
      mechanism: 'PLAIN',
      response: `\0${user}\0${password}`,
      locale: 'en_US',
    })
    const { heartbeat, channelMax } = tune
    this.#send(0, 'connection.tune-ok', { channelMax, frameMax: FRAME_MAX, heartbeat })
    this.#startHeartbeat(heartbeat)
    await this.#call(0, 'connection.open', 'connection.open-ok', { virtualHost: '/' })
    await this.#call(CHANNEL, 'channel.open', 'channel.open-ok')
    await this.#call(CHANNEL, 'confirm.select', 'confirm.select-ok')
  }

  async declareQueue(queue: string): Promise<void> {
    await this.#call(CHANNEL, 'queue.declare', 'queue.declare-ok', { queue, durable: true })
  }

  /** Resolves when the broker has confirmed the message. */
  publish(queue: string, content: Content): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#confirms.set(++this.#publishedCount, { resolve, reject })
      this.#send(CHANNEL, 'basic.publish', { routingKey: queue }, content)
    })
  }

  async consume(
    queue: string,
    prefetchCount: number,
    onDelivery: (values: Method['values'], content: Content) => void,
  ): Promise<void> {
    this.#onDelivery = onDelivery
    await this.#call(CHANNEL, 'basic.qos', 'basic.qos-ok', { prefetchCount })
    await this.#call(CHANNEL, 'basic.consume', 'basic.consume-ok', { queue })
  }

  acknowledge(deliveryTag: number): void {
    this.#send(CHANNEL, 'basic.ack', { deliveryTag })
  }

  requeue(deliveryTag: number): void {
    this.#send(CHANNEL, 'basic.nack', { deliveryTag, requeue: true })
  }

  close(): void {
    this.#send(0, 'connection.close', { replyCode: 200, replyText: 'bye' })
    this.#end(new CallFailure('reset', 'the connection to the broker is closed'))
  }

  #receive({ channel, method, content }: Incoming): void {
    if (!method) return
    const { name, values } = method
    if (name === 'basic.deliver') this.#onDelivery?.(values, content!)
    else if (name === 'basic.ack' || name === 'basic.nack') this.#confirm(name, values)
    else if (name === 'connection.close' || name === 'channel.close') {
      this.#send(channel, name === 'connection.close' ? 'connection.close-ok' : 'channel.close-ok')
      const kind = values.replyCode === ACCESS_REFUSED ? 'login' : 'answer'
      this.#end(new CallFailure(kind, values.replyText))
    } else if (this.#replies[0]?.name === name) this.#replies.shift()!.resolve(values)
  }

  #confirm(name: 'basic.ack' | 'basic.nack', { deliveryTag, multiple }: Method['values']): void {
    const tags = multiple ? [...this.#confirms.keys()].filter((tag) => tag <= deliveryTag) : [deliveryTag]
    for (const tag of tags) {
      const waiter = this.#confirms.get(tag)
      this.#confirms.delete(tag)
      if (name === 'basic.ack') waiter?.resolve({})
      else waiter?.reject(new CallFailure('answer', 'the broker could not store the message'))
    }
  }

  #wait(name: MethodName): Promise<Method['values']> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => this.#replies.push({ name, resolve, reject }))
  }

  #call(channel: number, name: MethodName, reply: MethodName, values: Table = {}): Promise<Method['values']> {
    const answer = this.#wait(reply)
    this.#send(channel, name, values)
    return answer
  }

  #send(channel: number, name: MethodName, values: Table = {}, content?: Content): void {
    if (!this.#failure) this.#socket.write(toFrames(channel, name, values, content))
  }

  #startHeartbeat(seconds: number): void {
    if (seconds === 0) return
    this.#cancelHeartbeat = this.#time.after(seconds * 500, () => {
      if (this.#time.monotonic() - this.#lastReceivedAt > 2 * seconds * 1000) {
        this.#end(new CallFailure('reset', 'missed heartbeats from the broker'))
        return
      }
      this.#socket.write(HEARTBEAT_FRAME)
      this.#startHeartbeat(seconds)
    })
  }

  #end(failure: CallFailure): void {
    if (this.#failure) return
    this.#failure = failure
    this.#cancelHeartbeat?.()
    this.#socket.destroySoon()
    for (const { reject } of [...this.#replies.splice(0), ...this.#confirms.values()]) reject(failure)
    this.#confirms.clear()
    for (const listener of this.#endListeners.splice(0)) listener(failure)
  }
}

/** Logs in over a stream. Rejects with a CallFailure. The default user is `guest`. */
export const openAmqpConnection = async (
  socket: ByteStream,
  host: Pick<StoreHost, 'time'>,
  login: StoreLogin = { user: 'guest', password: 'guest' },
): Promise<AmqpConnection> => {
  const connection = new AmqpConnection(socket, host)
  try {
    await withTimeLimit(host.time, connection.open(login), HANDSHAKE_TIMEOUT_MS, () =>
      createTimeout(HANDSHAKE_TIMEOUT_MS),
    )
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
