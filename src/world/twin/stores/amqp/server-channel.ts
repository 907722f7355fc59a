/** One channel of a connection at the broker: its consumers and unacknowledged deliveries. */
import { AmqpFailure } from './amqp-failure.ts'
import type { Broker } from './broker.ts'
import type { Table } from './field-codec.ts'
import type { Content } from './frames.ts'
import type { Consumer, Message, MessageQueue } from './message-queue.ts'
import type { Method, MethodName } from './methods.ts'

export interface ChannelConnection {
  send(name: MethodName, values?: Table, content?: Content): void
  /** False while the client reads more slowly than the broker sends. */
  canSend(): boolean
}

/** The channel waits while this many messages are being written to the disk. */
const MAX_PENDING_PUBLISHES = 1_000

/** An unacknowledged delivery of this channel. */
interface Delivery {
  readonly queue: MessageQueue
  readonly message: Message
  readonly consumerTag: string | undefined
}

interface Subscription {
  readonly queue: MessageQueue
  readonly consumer: Consumer
}

export class ServerChannel {
  readonly #broker: Broker
  readonly #connection: ChannelConnection
  /** Queues that are deleted with the connection. */
  readonly #exclusive: Set<MessageQueue>
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #deliveries = new Map<number, Delivery>()
  /** Number of unacknowledged deliveries by consumer tag. */
  readonly #unacknowledged = new Map<string, number>()
  readonly #publishing = new Set<Promise<void>>()
  #lastTag = 0
  #prefetch = 0
  /** Number of messages published in confirm mode; undefined outside it. */
  #published: number | undefined
  #lastQueue = ''

  constructor(broker: Broker, exclusive: Set<MessageQueue>, connection: ChannelConnection) {
    this.#broker = broker
    this.#exclusive = exclusive
    this.#connection = connection
  }

  #send(name: MethodName, values?: Table, content?: Content): void {
    this.#connection.send(name, values, content)
  }

  /** Delivers waiting messages once the client reads again. */
  resume(): void {
    for (const { queue } of this.#subscriptions.values()) queue.dispatch()
  }

  /** Runs a method. Messages can be published concurrently; every other method waits for them. */
  async run({ name, values }: Method, content: Content | undefined): Promise<void> {
    if (name === 'basic.publish') {
      if (this.#publishing.size >= MAX_PENDING_PUBLISHES) await Promise.race(this.#publishing)
      return this.#publish(values, content!)
    }
    await Promise.allSettled(this.#publishing)
    const handle = this.#handlers[name]
    if (!handle) throw new AmqpFailure('NOT_IMPLEMENTED', `${name} is not implemented`)
    await handle(values)
  }

  /** Cancels all consumers and requeues unacknowledged messages. */
  close(): void {
    for (const tag of this.#subscriptions.keys()) this.#cancel(tag)
    this.#requeue([...this.#deliveries.keys()])
  }

  readonly #handlers: Partial<Record<MethodName, (values: Method['values']) => void | Promise<void>>> = {
    'channel.flow': ({ active }) => this.#send('channel.flow-ok', { active }),
    'queue.declare': (values) => this.#declare(values),
    'queue.purge': ({ queue, noWait }) => {
      const messageCount = this.#broker.purge(this.#findQueue(queue))
      if (!noWait) this.#send('queue.purge-ok', { messageCount })
    },
    'queue.delete': (values) => this.#delete(values),
    'basic.qos': ({ prefetchCount }) => {
      this.#prefetch = prefetchCount
      this.#send('basic.qos-ok')
    },
    'basic.consume': (values) => this.#consume(values),
    'basic.cancel': ({ consumerTag, noWait }) => {
      this.#cancel(consumerTag)
      if (!noWait) this.#send('basic.cancel-ok', { consumerTag })
    },
    'basic.get': (values) => this.#get(values),
    'basic.ack': ({ deliveryTag, multiple }) => this.#settle(this.#matchTags(deliveryTag, multiple)),
    'basic.nack': ({ deliveryTag, multiple, requeue }) => {
      const tags = this.#matchTags(deliveryTag, multiple)
      if (requeue) this.#requeue(tags)
      else this.#settle(tags)
    },
    'basic.reject': ({ deliveryTag, requeue }) => {
      const tags = this.#matchTags(deliveryTag, false)
      if (requeue) this.#requeue(tags)
      else this.#settle(tags)
    },
    'basic.recover': () => {
      this.#requeue([...this.#deliveries.keys()])
      this.#send('basic.recover-ok')
    },
    'confirm.select': ({ noWait }) => {
      this.#published ??= 0
      if (!noWait) this.#send('confirm.select-ok')
    },
  }

  #findQueue(name: string): MessageQueue {
    const queueName = name === '' ? this.#lastQueue : name
    const queue = this.#broker.queue(queueName)
    if (!queue) throw new AmqpFailure('NOT_FOUND', `no queue '${queueName}' in vhost '/'`)
    return queue
  }

  async #declare(values: Method['values']): Promise<void> {
    const { passive, durable, exclusive, autoDelete, noWait } = values
    const name = values.queue === '' ? this.#broker.generateName('amq.gen-') : values.queue
    let queue = this.#broker.queue(name)
    if (!queue && passive) throw new AmqpFailure('NOT_FOUND', `no queue '${name}' in vhost '/'`)
    if (queue && !passive && queue.durable !== durable)
      throw new AmqpFailure(
        'PRECONDITION_FAILED',
        `inequivalent arg 'durable' for queue '${name}' in vhost '/': received '${durable}' but current is '${queue.durable}'`,
      )
    if (!queue) {
      queue = await this.#broker.declare(name, { durable: durable && !exclusive, autoDelete })
      if (exclusive) this.#exclusive.add(queue)
    }
    this.#lastQueue = name
    const counts = { messageCount: queue.ready, consumerCount: queue.consumerCount }
    if (!noWait) this.#send('queue.declare-ok', { queue: name, ...counts })
  }

  async #delete({ queue: name, ifUnused, ifEmpty, noWait }: Method['values']): Promise<void> {
    const queue = this.#broker.queue(name)
    if (queue && ifUnused && queue.consumerCount > 0)
      throw new AmqpFailure('PRECONDITION_FAILED', `queue '${name}' in vhost '/' in use`)
    if (queue && ifEmpty && queue.ready > 0)
      throw new AmqpFailure('PRECONDITION_FAILED', `queue '${name}' in vhost '/' not empty`)
    const messageCount = queue ? await this.#broker.delete(queue) : 0
    if (!noWait) this.#send('queue.delete-ok', { messageCount })
  }

  #publish({ exchange, routingKey, mandatory }: Method['values'], content: Content): void {
    if (exchange !== '') throw new AmqpFailure('NOT_FOUND', `no exchange '${exchange}' in vhost '/'`)
    const confirmTag = this.#published === undefined ? undefined : ++this.#published
    const confirm = (method: 'basic.ack' | 'basic.nack') => {
      if (confirmTag !== undefined) this.#send(method, { deliveryTag: confirmTag })
    }
    const queue = this.#broker.queue(routingKey)
    if (!queue) {
      if (mandatory)
        this.#send('basic.return', { replyCode: 312, replyText: 'NO_ROUTE', routingKey }, content)
      confirm('basic.ack')
      return
    }
    const work = this.#broker.publish(queue, content).then(
      () => confirm('basic.ack'),
      () => confirm('basic.nack'),
    )
    this.#publishing.add(work)
    void work.finally(() => this.#publishing.delete(work))
  }

  #consume({ queue: name, consumerTag, noAck, noWait }: Method['values']): void {
    const queue = this.#findQueue(name)
    const tag = consumerTag === '' ? this.#broker.generateName('amq.ctag-') : consumerTag
    if (this.#subscriptions.has(tag))
      throw new AmqpFailure('NOT_ALLOWED', `attempt to reuse consumer tag '${tag}'`)
    const limit = noAck || this.#prefetch === 0 ? Number.POSITIVE_INFINITY : this.#prefetch
    const consumer: Consumer = {
      tag,
      canAccept: () => (this.#unacknowledged.get(tag) ?? 0) < limit && this.#connection.canSend(),
      deliver: (message) => {
        const deliveryTag = this.#deliver(queue, message, noAck, tag)
        const { redelivered } = message
        this.#send(
          'basic.deliver',
          { consumerTag: tag, deliveryTag, redelivered, routingKey: queue.name },
          message,
        )
      },
    }
    this.#subscriptions.set(tag, { queue, consumer })
    if (!noWait) this.#send('basic.consume-ok', { consumerTag: tag })
    queue.subscribe(consumer)
  }

  #cancel(tag: string): void {
    const subscription = this.#subscriptions.get(tag)
    if (!subscription) return
    const { queue, consumer } = subscription
    queue.unsubscribe(consumer)
    this.#subscriptions.delete(tag)
    if (queue.autoDelete && queue.consumerCount === 0) this.#broker.delete(queue).catch(() => {})
  }

  #get({ queue: name, noAck }: Method['values']): void {
    const queue = this.#findQueue(name)
    const message = queue.takeNext()
    if (!message) {
      this.#send('basic.get-empty')
      return
    }
    const deliveryTag = this.#deliver(queue, message, noAck, undefined)
    const { redelivered } = message
    const values = { deliveryTag, redelivered, routingKey: queue.name, messageCount: queue.ready }
    this.#send('basic.get-ok', values, message)
  }

  #deliver(queue: MessageQueue, message: Message, noAck: boolean, consumerTag: string | undefined): number {
    const tag = ++this.#lastTag
    if (noAck) this.#broker.settle(queue, message)
    else {
      this.#deliveries.set(tag, { queue, message, consumerTag })
      this.#countUnacknowledged(consumerTag, 1)
    }
    return tag
  }

  /** Tag 0 with `multiple` means all deliveries. */
  #matchTags(tag: number, multiple: boolean): number[] {
    const tags = multiple
      ? [...this.#deliveries.keys()].filter((deliveryTag) => tag === 0 || deliveryTag <= tag)
      : [tag].filter((deliveryTag) => this.#deliveries.has(deliveryTag))
    if (tags.length === 0 && !(multiple && tag === 0))
      throw new AmqpFailure('PRECONDITION_FAILED', `unknown delivery tag ${tag}`)
    return tags
  }

  #countUnacknowledged(consumerTag: string | undefined, change: number): void {
    if (consumerTag !== undefined)
      this.#unacknowledged.set(consumerTag, (this.#unacknowledged.get(consumerTag) ?? 0) + change)
  }

  /** Removes the deliveries from this channel. */
  #removeDeliveries(tags: readonly number[]): Delivery[] {
    return tags.map((tag) => {
      const delivery = this.#deliveries.get(tag)!
      this.#deliveries.delete(tag)
      this.#countUnacknowledged(delivery.consumerTag, -1)
      return delivery
    })
  }

  #settle(tags: readonly number[]): void {
    const settled = this.#removeDeliveries(tags)
    for (const { queue, message } of settled) this.#broker.settle(queue, message)
    for (const queue of new Set(settled.map((delivery) => delivery.queue))) queue.dispatch()
  }

  #requeue(tags: readonly number[]): void {
    for (const [queue, deliveries] of Map.groupBy(this.#removeDeliveries(tags), (delivery) => delivery.queue))
      queue.requeue(deliveries.map(({ message }) => message))
  }
}
