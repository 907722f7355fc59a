/** The keys of one Redis database: values of five types, and expiry times. */
import { encodeCommand, RedisError } from './resp.ts'
import { SortedSet } from './sorted-set.ts'

export type Value = string | string[] | Map<string, string> | Set<string> | SortedSet

export const TYPES = {
  string: (value: Value): value is string => typeof value === 'string',
  list: (value: Value): value is string[] => Array.isArray(value),
  hash: (value: Value): value is Map<string, string> => value instanceof Map,
  set: (value: Value): value is Set<string> => value instanceof Set,
  zset: (value: Value): value is SortedSet => value instanceof SortedSet,
}

export const typeOf = (value: Value): string =>
  Object.entries(TYPES).find(([, isType]) => isType(value))?.[0] ?? 'none'

const textsOf = (value: Value): Iterable<string> => {
  if (typeof value === 'string') return [value]
  if (value instanceof Map) return [...value].flat()
  if (value instanceof SortedSet) return value.members.map(({ name }) => name)
  return value
}

/** Approximate memory that a key and each element of its value take in addition to their bytes. */
const OVERHEAD_BYTES = 56

const sizeOf = (key: string, value: Value): number => {
  let bytes = OVERHEAD_BYTES + key.length
  for (const text of textsOf(value)) bytes += OVERHEAD_BYTES + text.length
  return bytes
}

/** Maximum number of words in a generated command, not counting its name and key. */
const MAX_COMMAND_WORDS = 1_000

const toCreateCommand = (
  value: Exclude<Value, string>,
): { readonly name: string; readonly words: readonly string[] } => {
  if (value instanceof Map) return { name: 'HSET', words: [...value].flat() }
  if (value instanceof Set) return { name: 'SADD', words: [...value] }
  if (value instanceof SortedSet)
    return { name: 'ZADD', words: value.members.flatMap(({ name, score }) => [String(score), name]) }
  return { name: 'RPUSH', words: value }
}

/** Generates the commands that create the value. */
function* toCommands(key: string, value: Value): Iterable<string> {
  if (typeof value === 'string') {
    yield encodeCommand(['SET', key, value])
    return
  }
  const { name, words } = toCreateCommand(value)
  for (let at = 0; at < words.length; at += MAX_COMMAND_WORDS)
    yield encodeCommand([name, key, ...words.slice(at, at + MAX_COMMAND_WORDS)])
}

export class Keyspace {
  /** The time in milliseconds since the epoch. */
  readonly now: () => number
  readonly #values = new Map<string, Value>()
  readonly #expiries = new Map<string, number>()
  /**
   * Called with each key that expires. While it is undefined, as during the replay of the file, no key
   * expires.
   */
  onExpired: ((key: string) => void) | undefined

  constructor(now: () => number) {
    this.now = now
  }

  get(key: string): Value | undefined {
    const expiresAt = this.#expiries.get(key)
    if (expiresAt !== undefined && expiresAt <= this.now() && this.onExpired !== undefined) {
      this.delete(key)
      this.onExpired(key)
    }
    return this.#values.get(key)
  }

  /** Returns the value; throws if it is of another type. */
  read<T extends Value>(key: string, isType: (value: Value) => value is T): T | undefined {
    const value = this.get(key)
    if (value === undefined || isType(value)) return value
    throw new RedisError('WRONGTYPE Operation against a key holding the wrong kind of value')
  }

  /** Like `read`, but creates the value if the key does not exist. */
  getOrCreate<T extends Value>(key: string, isType: (value: Value) => value is T, create: () => T): T {
    const found = this.read(key, isType)
    if (found !== undefined) return found
    const value = create()
    this.#values.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value)
  }

  delete(key: string): boolean {
    this.#expiries.delete(key)
    return this.#values.delete(key)
  }

  /** Deletes a key whose value is empty. */
  deleteIfEmpty(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined || typeof value === 'string') return
    if ((Array.isArray(value) ? value.length : value.size) === 0) this.delete(key)
  }

  expiryOf(key: string): number | undefined {
    return this.#expiries.get(key)
  }

  expireAt(key: string, time: number | undefined): void {
    this.#expiries.delete(key)
    if (time === undefined) return
    this.#expiries.set(key, time)
    this.#expireOldest()
  }

  /** Checks two keys for each new one, so that expired keys that are never read do not accumulate. */
  #expireOldest(): void {
    for (const [key, expiresAt] of [...this.#expiries.entries().take(2)]) {
      if (this.get(key) === undefined) continue
      this.#expiries.delete(key)
      this.#expiries.set(key, expiresAt)
    }
  }

  keys(): string[] {
    for (const key of this.#expiries.keys()) this.get(key)
    return [...this.#values.keys()]
  }

  get expiringCount(): number {
    return this.#expiries.size
  }

  clear(): void {
    this.#values.clear()
    this.#expiries.clear()
  }

  bytes(): number {
    let bytes = 0
    for (const key of this.#expiries.keys()) this.get(key)
    for (const [key, value] of this.#values) bytes += sizeOf(key, value)
    return bytes
  }

  /** Generates commands that recreate all keys. */
  *commands(): Iterable<string> {
    for (const key of this.keys()) {
      yield* toCommands(key, this.#values.get(key)!)
      const expiresAt = this.#expiries.get(key)
      if (expiresAt !== undefined) yield encodeCommand(['PEXPIREAT', key, String(expiresAt)])
    }
  }
}
