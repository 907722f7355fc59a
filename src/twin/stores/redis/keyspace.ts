/** What a Redis server holds: keys with a value of one of five types, and when they end. */
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
  Object.entries(TYPES).find(([, is]) => is(value))?.[0] ?? 'none'

const textsOf = (value: Value): Iterable<string> => {
  if (typeof value === 'string') return [value]
  if (value instanceof Map) return [...value].flat()
  if (value instanceof SortedSet) return value.members.map(({ name }) => name)
  return value
}

/** What a key, a value and each of its parts take besides their bytes, about. */
const OVERHEAD_BYTES = 56

const sizeOf = (key: string, value: Value): number => {
  let bytes = OVERHEAD_BYTES + key.length
  for (const text of textsOf(value)) bytes += OVERHEAD_BYTES + text.length
  return bytes
}

/** A command has at most so many words beside its name and its key. */
const WORDS_A_COMMAND = 1_000

const makerOf = (
  value: Exclude<Value, string>,
): { readonly name: string; readonly words: readonly string[] } => {
  if (value instanceof Map) return { name: 'HSET', words: [...value].flat() }
  if (value instanceof Set) return { name: 'SADD', words: [...value] }
  if (value instanceof SortedSet)
    return { name: 'ZADD', words: value.members.flatMap(({ name, score }) => [String(score), name]) }
  return { name: 'RPUSH', words: value }
}

/** The commands that make this value. */
function* toCommands(key: string, value: Value): Iterable<string> {
  if (typeof value === 'string') {
    yield encodeCommand(['SET', key, value])
    return
  }
  const { name, words } = makerOf(value)
  for (let at = 0; at < words.length; at += WORDS_A_COMMAND)
    yield encodeCommand([name, key, ...words.slice(at, at + WORDS_A_COMMAND)])
}

export class Keyspace {
  readonly #values = new Map<string, Value>()
  readonly #ends = new Map<string, number>()
  /** Told of each key whose time is over, which is gone then; absent while nothing ends, because it is all long ago. */
  onEnd: ((key: string) => void) | undefined

  get(key: string): Value | undefined {
    const end = this.#ends.get(key)
    if (end !== undefined && end <= Date.now() && this.onEnd !== undefined) {
      this.delete(key)
      this.onEnd(key)
    }
    return this.#values.get(key)
  }

  /** The value where it is of this type; another type is the client's mistake. */
  read<T extends Value>(key: string, is: (value: Value) => value is T): T | undefined {
    const value = this.get(key)
    if (value === undefined || is(value)) return value
    throw new RedisError('WRONGTYPE Operation against a key holding the wrong kind of value')
  }

  /** As `read`, and made where it is not there. */
  obtain<T extends Value>(key: string, is: (value: Value) => value is T, make: () => T): T {
    const found = this.read(key, is)
    if (found !== undefined) return found
    const made = make()
    this.#values.set(key, made)
    return made
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value)
  }

  delete(key: string): boolean {
    this.#ends.delete(key)
    return this.#values.delete(key)
  }

  /** A key with nothing in it is not there. */
  dropWhereEmpty(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined || typeof value === 'string') return
    if ((Array.isArray(value) ? value.length : value.size) === 0) this.delete(key)
  }

  endOf(key: string): number | undefined {
    return this.#ends.get(key)
  }

  endAt(key: string, time: number | undefined): void {
    this.#ends.delete(key)
    if (time === undefined) return
    this.#ends.set(key, time)
    this.#lookAtOldest()
  }

  /** Two for each that comes: so what nobody asks for again does not pile up. */
  #lookAtOldest(): void {
    for (const [key, end] of [...this.#ends.entries().take(2)]) {
      if (this.get(key) === undefined) continue
      this.#ends.delete(key)
      this.#ends.set(key, end)
    }
  }

  keys(): string[] {
    for (const key of this.#ends.keys()) this.get(key)
    return [...this.#values.keys()]
  }

  get ending(): number {
    return this.#ends.size
  }

  clear(): void {
    this.#values.clear()
    this.#ends.clear()
  }

  bytes(): number {
    let bytes = 0
    for (const key of this.#ends.keys()) this.get(key)
    for (const [key, value] of this.#values) bytes += sizeOf(key, value)
    return bytes
  }

  /** Commands that make all this again. */
  *commands(): Iterable<string> {
    for (const key of this.keys()) {
      yield* toCommands(key, this.#values.get(key)!)
      const end = this.#ends.get(key)
      if (end !== undefined) yield encodeCommand(['PEXPIREAT', key, String(end)])
    }
  }
}
