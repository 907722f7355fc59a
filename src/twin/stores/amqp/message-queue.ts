/** One queue: messages that wait, those that are out with consumers, and who gets the next one. */
import type { Content } from './frames.ts'

export interface Message extends Content {
  /** Counted per queue; the journal names it by this. */
  readonly id: number
  readonly persistent: boolean
  redelivered: boolean
}

export interface Consumer {
  readonly tag: string
  /** Whether it may get one more now. */
  hasRoom(): boolean
  deliver(message: Message): void
}

export class MessageQueue {
  readonly name: string
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly #ready: Message[] = []
  readonly #out = new Set<Message>()
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
    return this.#out.size
  }

  get consumerCount(): number {
    return this.#consumers.length
  }

  nextId(): number {
    return ++this.#lastId
  }

  /** Those that wait and those that are out, in order. */
  everything(): Message[] {
    return [...this.#out, ...this.#ready].sort((left, right) => left.id - right.id)
  }

  add(message: Message): void {
    this.#lastId = Math.max(this.#lastId, message.id)
    this.#ready.push(message)
    this.dispatch()
  }

  /** As after a restart: nothing is delivered yet. */
  forget(id: number): void {
    const at = this.#ready.findIndex((message) => message.id === id)
    if (at >= 0) this.#ready.splice(at, 1)
  }

  /** The next one, which is then out until it is settled or put back. */
  take(): Message | undefined {
    const message = this.#ready.shift()
    if (message) this.#out.add(message)
    return message
  }

  settle(message: Message): void {
    this.#out.delete(message)
  }

  /** To its old place, among those that wait. */
  putBack(messages: readonly Message[]): void {
    for (const message of messages) {
      this.#out.delete(message)
      message.redelivered = true
      const at = this.#ready.findIndex(({ id }) => id > message.id)
      this.#ready.splice(at < 0 ? this.#ready.length : at, 0, message)
    }
    this.dispatch()
  }

  /** All that wait, which are gone then. */
  purge(): Message[] {
    return this.#ready.splice(0)
  }

  subscribe(consumer: Consumer): void {
    this.#consumers.push(consumer)
    this.dispatch()
  }

  unsubscribe(consumer: Consumer): void {
    const at = this.#consumers.indexOf(consumer)
    if (at >= 0) this.#consumers.splice(at, 1)
  }

  /** To the consumers in turn, as long as one has room. */
  dispatch(): void {
    while (this.#ready.length > 0) {
      const at = this.#consumers.findIndex((consumer) => consumer.hasRoom())
      if (at < 0) return
      const [consumer] = this.#consumers.splice(at, 1)
      this.#consumers.push(consumer!)
      consumer!.deliver(this.take()!)
    }
  }
}
