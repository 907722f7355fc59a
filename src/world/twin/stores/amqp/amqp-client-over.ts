/** The AMQP client of a twin, over any kind of stream: publishes with confirms, and consumes until it is closed. */
import { type BrokerClient, CallFailure, sleep, withTimeLimit } from '#world/twin/ports'
import { createTimeout } from '../connection-pool.ts'
import type { StoreHost } from '../store-host.ts'
import type { AmqpConnection } from './amqp-connection.ts'
import type { Content } from './frames.ts'

type Handle = Parameters<BrokerClient['consume']>[1]

const PREFETCH = 250
const PERSISTENT = 2
const RECONNECT_MS = { initial: 200, max: 5_000 }
/** Delay before a message that failed again is requeued; without it, the message would loop at full speed. */
const REDELIVERY_DELAY_MS = 200

const toContent = (message: unknown, headers: Readonly<Record<string, string>>): Content => ({
  properties: { contentType: 'application/json', deliveryMode: PERSISTENT, headers: { ...headers } },
  body: Buffer.from(JSON.stringify(message ?? null)),
})

const parseBody = (body: Buffer): unknown => {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toHeaders = ({ headers }: Content['properties']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]))

/** Handles messages in order, one at a time. */
const serveQueue = async (
  { time }: Pick<StoreHost, 'time'>,
  connection: AmqpConnection,
  queue: string,
  handle: Handle,
): Promise<void> => {
  const ended = new Promise<void>((resolve) => connection.onEnd(() => resolve()))
  let lastDelivery = Promise.resolve()
  const handleDelivery = async (
    deliveryTag: number,
    redelivered: boolean,
    content: Content,
  ): Promise<void> => {
    if (connection.closed) return
    try {
      await handle(parseBody(content.body), toHeaders(content.properties))
      connection.acknowledge(deliveryTag)
    } catch {
      if (redelivered) await sleep(time, REDELIVERY_DELAY_MS)
      connection.requeue(deliveryTag)
    }
  }
  await connection.declareQueue(queue)
  await connection.consume(queue, PREFETCH, ({ deliveryTag, redelivered }, content) => {
    lastDelivery = lastDelivery.then(() => handleDelivery(deliveryTag, redelivered, content))
  })
  await ended
}

class AmqpClient implements BrokerClient {
  readonly #host: Pick<StoreHost, 'time'>
  readonly #open: () => Promise<AmqpConnection>
  readonly #consumers = new Set<AmqpConnection>()
  readonly #declared = new Set<string>()
  #publisher: Promise<AmqpConnection> | undefined
  #closed = false

  constructor(host: Pick<StoreHost, 'time'>, open: () => Promise<AmqpConnection>) {
    this.#host = host
    this.#open = open
  }

  query({ publish }: Parameters<BrokerClient['query']>[0], timeoutMs?: number): Promise<unknown> {
    if (publish === undefined)
      return Promise.reject(new CallFailure('answer', 'the broker client supports only publish'))
    const { queue, message, headers } = publish
    const published = this.#publish(queue, toContent(message, headers))
    return withTimeLimit(this.#host.time, published, timeoutMs, () => createTimeout(timeoutMs))
  }

  consume(queue: string, handle: Handle): void {
    void this.#keepConsuming(queue, handle)
  }

  close(): void {
    this.#closed = true
    for (const connection of this.#consumers) connection.close()
    this.#publisher?.then(
      (connection) => connection.close(),
      () => {},
    )
  }

  async #publish(queue: string, content: Content): Promise<null> {
    const connection = await this.#getPublisher()
    if (!this.#declared.has(queue)) {
      await connection.declareQueue(queue)
      this.#declared.add(queue)
    }
    await connection.publish(queue, content)
    return null
  }

  /** Returns the connection for publishing; reconnects if it was lost. */
  #getPublisher(): Promise<AmqpConnection> {
    if (this.#closed) return Promise.reject(new CallFailure('reset', 'the client is closed'))
    if (this.#publisher) return this.#publisher
    const opening = this.#open()
    this.#publisher = opening
    const reset = () => {
      this.#publisher = undefined
      this.#declared.clear()
    }
    opening.then((connection) => connection.onEnd(reset), reset)
    return opening
  }

  async #keepConsuming(queue: string, handle: Handle): Promise<void> {
    let delay = RECONNECT_MS.initial
    while (!this.#closed) {
      try {
        const connection = await this.#open()
        if (this.#closed) return connection.close()
        this.#consumers.add(connection)
        delay = RECONNECT_MS.initial
        await serveQueue(this.#host, connection, queue, handle).finally(() =>
          this.#consumers.delete(connection),
        )
      } catch {
        delay = Math.min(2 * delay, RECONNECT_MS.max)
      }
      if (!this.#closed) await sleep(this.#host.time, delay)
    }
  }
}

/** `open` resolves with a connection that is logged in. */
export const createClientOver = (
  host: Pick<StoreHost, 'time'>,
  open: () => Promise<AmqpConnection>,
): BrokerClient => new AmqpClient(host, open)
