/** One queue: ready messages, unacknowledged messages, and the order of consumers. */
import type { Content } from './frames.ts'

export interface Message extends Content {
  /** A number unique within the queue; the log refers to the message by it. */
  readonly id: number
  readonly persistent: boolean
  redelivered: boolean
}

export interface Consumer {
  readonly tag: string
  /** Whether it accepts another message. */
  canAccept(): boolean
  deliver(message: Message): void
}

export class MessageQueue {
  readonly name: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly #ready: Message[] = []
  readonly #unacknowledged = new Set<Message>()
  readonly #consumers: Consumer[] = []
  #lastId = 0

  constructor(name: string, { durable = false, autoDelete = false } = {}) {
    this.name = name
    this.durable = durable
    this.autoDelete = autoDelete
  }

  get ready(): number {
    return this.#ready.length
  }

  get unacknowledged(): number {
    return this.#unacknowledged.size
  }

  get consumerCount(): number {
    return this.#consumers.length
  }

  nextId(): number {
    return ++this.#lastId
  }

  /** Ready and unacknowledged messages, in order. */
  allMessages(): Message[] {
    return [...this.#unacknowledged, ...this.#ready].sort((left, right) => left.id - right.id)
  }

  add(message: Message): void {
    this.#lastId = Math.max(this.#lastId, message.id)
    this.#ready.push(message)
    this.dispatch()
  }

  /** Removes a message during the replay of the log, when there are no consumers. */
  remove(id: number): void {
    const index = this.#ready.findIndex((message) => message.id === id)
    if (index >= 0) this.#ready.splice(index, 1)
  }

  /** Returns the next message, which is unacknowledged until it is settled or requeued. */
  takeNext(): Message | undefined {
    const message = this.#ready.shift()
    if (message) this.#unacknowledged.add(message)
    return message
  }

  settle(message: Message): void {
    this.#unacknowledged.delete(message)
  }

  /** Returns messages to their original positions among the ready ones. */
  requeue(messages: readonly Message[]): void {
    for (const message of messages) {
      this.#unacknowledged.delete(message)
      message.redelivered = true
      const index = this.#ready.findIndex(({ id }) => id > message.id)
      this.#ready.splice(index < 0 ? this.#ready.length : index, 0, message)
    }
    this.dispatch()
  }

  /** Removes and returns all ready messages. */
  purge(): Message[] {
    return this.#ready.splice(0)
  }

  subscribe(consumer: Consumer): void {
    this.#consumers.push(consumer)
    this.dispatch()
  }

  unsubscribe(consumer: Consumer): void {
    const index = this.#consumers.indexOf(consumer)
    if (index >= 0) this.#consumers.splice(index, 1)
  }

  /** Delivers to the consumers in turn while one accepts messages. */
  dispatch(): void {
    while (this.#ready.length > 0) {
      const index = this.#consumers.findIndex((consumer) => consumer.canAccept())
      if (index < 0) return
      const [consumer] = this.#consumers.splice(index, 1)
      this.#consumers.push(consumer!)
      consumer!.deliver(this.takeNext()!)
    }
  }
}
