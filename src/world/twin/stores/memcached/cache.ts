/**
 * The items of a memcached server. Items expire, and the least recently used are evicted when the memory is
 * full.
 */

export interface Item {
  /** One character per byte. */
  readonly value: string
  readonly flags: number
  /** Milliseconds since the epoch; undefined if the item does not expire. */
  readonly expiresAt: number | undefined
  /** Increases with every write. */
  readonly version: number
}

/** Approximate memory that an item takes in addition to its key and value. */
const OVERHEAD_BYTES = 56

/** Expiry times above this number of seconds are absolute, as in memcached. */
const MONTH_SECONDS = 60 * 60 * 24 * 30

export class Cache {
  evictions = 0
  bytes = 0
  /** The time in milliseconds since the epoch. */
  readonly now: () => number
  readonly #limit: number
  /** The least recently used item is first. */
  readonly #items = new Map<string, Item>()
  #version = 0

  constructor(limitBytes: number, now: () => number) {
    this.#limit = limitBytes
    this.now = now
  }

  /** Converts the expiry time of a command to milliseconds since the epoch. */
  toExpiry(seconds: number): number | undefined {
    if (seconds === 0) return undefined
    if (seconds < 0) return 0
    return seconds > MONTH_SECONDS ? seconds * 1_000 : this.now() + seconds * 1_000
  }

  get size(): number {
    return this.#items.size
  }

  get limit(): number {
    return this.#limit
  }

  /** Maximum size of an item, including its key. */
  get maxItemBytes(): number {
    return Math.min(1024 * 1024, this.#limit)
  }

  get(key: string): Item | undefined {
    const item = this.#items.get(key)
    if (item === undefined) return undefined
    if (item.expiresAt !== undefined && item.expiresAt <= this.now()) {
      this.delete(key)
      return undefined
    }
    this.#items.delete(key)
    this.#items.set(key, item)
    return item
  }

  set(key: string, item: Omit<Item, 'version'>): void {
    this.delete(key)
    this.#version += 1
    this.#items.set(key, { ...item, version: this.#version })
    this.bytes += OVERHEAD_BYTES + key.length + item.value.length
    for (const oldest of this.#items.keys()) {
      if (this.bytes <= this.#limit) break
      this.delete(oldest)
      this.evictions += 1
    }
  }

  delete(key: string): boolean {
    const item = this.#items.get(key)
    if (item === undefined) return false
    this.bytes -= OVERHEAD_BYTES + key.length + item.value.length
    return this.#items.delete(key)
  }

  clear(): void {
    this.#items.clear()
    this.bytes = 0
  }
}
