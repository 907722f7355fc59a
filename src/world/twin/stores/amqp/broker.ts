/** The queues and users of a broker, in memory and, if durable, in its log. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { StoreHost } from '../store-host.ts'
import { createMemoryLog, openWriteAheadLog, type WriteAheadLog } from '../write-ahead-log.ts'
import type { Content } from './frames.ts'
import { type Message, MessageQueue } from './message-queue.ts'

/** A record of the log; the first field names the kind of change. */
type Change =
  | { readonly declare: string; readonly autoDelete: boolean }
  | { readonly delete: string }
  | { readonly publish: string; readonly id: number; readonly properties: object; readonly body: string }
  | { readonly done: string; readonly id: number }
  | { readonly user: string; readonly salt: string; readonly hash: string; readonly tags: string }
  | { readonly dropUser: string }

interface BrokerUser {
  readonly salt: string
  readonly hash: string
  readonly tags: string
}

const PERSISTENT = 2

const hashPassword = (salt: string, password: string): string =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(password)]))
    .digest('hex')

export class Broker {
  readonly #queues = new Map<string, MessageQueue>()
  readonly #users = new Map<string, BrokerUser>()
  readonly #host: StoreHost
  #log: WriteAheadLog = createMemoryLog()

  constructor(host: StoreHost) {
    this.#host = host
  }

  /** Generates a name for an unnamed queue or consumer. */
  generateName(prefix: string): string {
    return `${prefix}${Buffer.from(this.#host.random.bytes(12)).toString('base64url')}`
  }

  /** Replays the log in the folder. Without a folder, the broker keeps its state in memory only. */
  async open(folder: string | undefined): Promise<void> {
    if (folder === undefined) return
    this.#host.files.makeFolder(folder)
    this.#log = await openWriteAheadLog({
      files: this.#host.files,
      file: join(folder, 'queues.log'),
      replay: (record) => this.#apply(JSON.parse(record.toString())),
      snapshot: () => this.#snapshot(),
    })
    for (const queue of this.#queues.values())
      for (const message of queue.allMessages()) message.redelivered = true
  }

  close(): Promise<void> {
    return this.#log.close()
  }

  get users(): readonly { readonly name: string; readonly tags: string }[] {
    return [...this.#users].map(([name, { tags }]) => ({ name, tags }))
  }

  hasUser(name: string): boolean {
    return this.#users.has(name)
  }

  isCorrectPassword(name: string, password: string): boolean {
    const user = this.#users.get(name)
    if (!user) return false
    const actual = Buffer.from(hashPassword(user.salt, password), 'hex')
    return timingSafeEqual(actual, Buffer.from(user.hash, 'hex'))
  }

  setUser(name: string, password: string, tags: string): Promise<void> {
    const salt = Buffer.from(this.#host.random.bytes(4)).toString('hex')
    const user = { salt, hash: hashPassword(salt, password), tags }
    const previous = this.#users.get(name)
    this.#users.set(name, user)
    const undo = () => (previous ? this.#users.set(name, previous) : this.#users.delete(name))
    return this.#write({ user: name, ...user }, undo)
  }

  dropUser(name: string): Promise<void> {
    const previous = this.#users.get(name)
    if (!previous) return Promise.resolve()
    this.#users.delete(name)
    return this.#write({ dropUser: name }, () => this.#users.set(name, previous))
  }

  get queues(): readonly MessageQueue[] {
    return [...this.#queues.values()]
  }

  queue(name: string): MessageQueue | undefined {
    return this.#queues.get(name)
  }

  async declare(
    name: string,
    options: { readonly durable: boolean; readonly autoDelete: boolean },
  ): Promise<MessageQueue> {
    const queue = new MessageQueue(name, options)
    this.#queues.set(name, queue)
    if (options.durable)
      await this.#write({ declare: name, autoDelete: options.autoDelete }, () => this.#queues.delete(name))
    return queue
  }

  /** Deletes a queue and returns the number of its ready messages. */
  async delete(queue: MessageQueue): Promise<number> {
    const count = queue.ready
    this.#queues.delete(queue.name)
    if (queue.durable) await this.#write({ delete: queue.name }, () => this.#queues.set(queue.name, queue))
    return count
  }

  /** Adds the message to the queue, after writing it to disk if it is persistent. */
  async publish(queue: MessageQueue, { properties, body }: Content): Promise<void> {
    const persistent = queue.durable && properties.deliveryMode === PERSISTENT
    const message = { id: queue.nextId(), properties, body, persistent, redelivered: false }
    if (persistent)
      await this.#write({
        publish: queue.name,
        id: message.id,
        properties,
        body: body.toString('base64'),
      })
    queue.add(message)
  }

  /**
   * Removes an acknowledged message. The log record is not awaited: if it is lost, the message is delivered
   * again.
   */
  settle(queue: MessageQueue, message: Message): void {
    queue.settle(message)
    this.#remove(queue, message)
  }

  purge(queue: MessageQueue): number {
    const purged = queue.purge()
    for (const message of purged) this.#remove(queue, message)
    return purged.length
  }

  #remove(queue: MessageQueue, { id, persistent }: Message): void {
    if (persistent && this.#queues.get(queue.name) === queue)
      this.#write({ done: queue.name, id }).catch(() => {})
  }

  #write(change: Change, undo?: () => unknown): Promise<void> {
    return this.#log.append(Buffer.from(JSON.stringify(change)), () => void undo?.())
  }

  #apply(change: Change): void {
    if ('declare' in change)
      this.#queues.set(
        change.declare,
        new MessageQueue(change.declare, { durable: true, autoDelete: change.autoDelete }),
      )
    else if ('delete' in change) this.#queues.delete(change.delete)
    else if ('publish' in change) {
      const { id, properties, body } = change
      this.#queues.get(change.publish)?.add({
        id,
        properties: properties as Content['properties'],
        body: Buffer.from(body, 'base64'),
        persistent: true,
        redelivered: false,
      })
    } else if ('done' in change) this.#queues.get(change.done)?.remove(change.id)
    else if ('user' in change)
      this.#users.set(change.user, { salt: change.salt, hash: change.hash, tags: change.tags })
    else this.#users.delete(change.dropUser)
  }

  *#snapshot(): Iterable<Buffer> {
    const toRecord = (change: Change) => Buffer.from(JSON.stringify(change))
    for (const [user, account] of this.#users) yield toRecord({ user, ...account })
    for (const queue of this.#queues.values()) {
      if (!queue.durable) continue
      yield toRecord({ declare: queue.name, autoDelete: queue.autoDelete })
      for (const { id, properties, body, persistent } of queue.allMessages())
        if (persistent) yield toRecord({ publish: queue.name, id, properties, body: body.toString('base64') })
    }
  }
}
