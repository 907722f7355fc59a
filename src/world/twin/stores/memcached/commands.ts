/** The commands of memcached's text protocol. */
import type { Cache, Item } from './cache.ts'

/** Statistics of the server. */
export interface Counters {
  readonly startedAt: number
  connections: number
  totalConnections: number
  gets: number
  hits: number
  sets: number
  readonly maxConnections: number
}

export const VERSION = '1.6.7'

/** The program of a container is its first process. */
const PROCESS_ID = 1

/** Commands that are followed by a block of data. */
export const STORAGE_COMMANDS = new Set(['set', 'add', 'replace', 'append', 'prepend', 'cas'])

type Run = (cache: Cache, words: readonly string[], data: string, counters: Counters) => string

const MAX_KEY_CHARACTERS = 250

/** Limits one response, because a line can request the same key thousands of times. */
const MAX_RESPONSE_CHARACTERS = 128 * 1024 * 1024

const ERROR_FORMAT = 'CLIENT_ERROR bad command line format'

const isKey = (key: string | undefined): key is string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys contain no control characters
  key !== undefined && key.length <= MAX_KEY_CHARACTERS && !/[\x00-\x20]/.test(key)

/** Each function returns the value to store, or null if the condition of its command is not met. */
const TO_STORED_VALUE: Readonly<
  Record<string, (item: Item | undefined, data: string, version: number) => string | null>
> = {
  set: (_, data) => data,
  add: (item, data) => (item === undefined ? data : null),
  replace: (item, data) => (item === undefined ? null : data),
  append: (item, data) => (item === undefined ? null : item.value + data),
  prepend: (item, data) => (item === undefined ? null : data + item.value),
  cas: (item, data, version) => (item?.version === version ? data : null),
}

const store: Run = (cache, [name, key, flags, seconds, , version], data, counters) => {
  if (!isKey(key)) return ERROR_FORMAT
  const item = cache.get(key)
  const value = TO_STORED_VALUE[name!]!(item, data, Number(version))
  counters.sets += 1
  if (name === 'cas' && item === undefined) return 'NOT_FOUND'
  if (value === null) return name === 'cas' ? 'EXISTS' : 'NOT_STORED'
  if (key.length + value.length > cache.maxItemBytes) return 'SERVER_ERROR object too large for cache'
  const keepsMetadata = name === 'append' || name === 'prepend'
  cache.set(key, {
    value,
    flags: keepsMetadata ? item!.flags : Number(flags),
    expiresAt: keepsMetadata ? item!.expiresAt : cache.toExpiry(Number(seconds)),
  })
  return 'STORED'
}

const createGet =
  (withVersion: boolean): Run =>
  (cache, [, ...keys], _, counters) => {
    if (keys.length === 0 || !keys.every(isKey)) return keys.length === 0 ? 'ERROR' : ERROR_FORMAT
    let characters = 0
    const found = keys.map((key) => {
      const item = cache.get(key)
      counters.gets += 1
      if (item === undefined) return ''
      counters.hits += 1
      const version = withVersion ? ` ${item.version}` : ''
      characters += item.value.length
      if (characters > MAX_RESPONSE_CHARACTERS) return ''
      return `VALUE ${key} ${item.flags} ${item.value.length}${version}\r\n${item.value}\r\n`
    })
    return characters > MAX_RESPONSE_CHARACTERS
      ? 'SERVER_ERROR out of memory writing get response'
      : `${found.join('')}END`
  }

const createIncrement =
  (sign: 1 | -1): Run =>
  (cache, [, key, amount]) => {
    if (!isKey(key) || !/^\d+$/.test(amount ?? '')) return 'CLIENT_ERROR invalid numeric delta argument'
    const item = cache.get(key)
    if (item === undefined) return 'NOT_FOUND'
    if (!/^\d+ *$/.test(item.value)) return 'CLIENT_ERROR cannot increment or decrement non-numeric value'
    const sum = BigInt(item.value.trim()) + BigInt(sign) * BigInt(amount!)
    // memcached wraps at 2^64 and stops at 0.
    const value = String(sum < 0n ? 0n : BigInt.asUintN(64, sum))
    cache.set(key, { ...item, value })
    return value
  }

const stats: Run = (cache, [, group], _, counters) => {
  if (group !== undefined) return 'END'
  const now = cache.now()
  const statistics = {
    pid: PROCESS_ID,
    uptime: Math.floor((now - counters.startedAt) / 1_000),
    time: Math.floor(now / 1_000),
    version: VERSION,
    max_connections: counters.maxConnections,
    curr_connections: counters.connections,
    total_connections: counters.totalConnections,
    cmd_get: counters.gets,
    cmd_set: counters.sets,
    get_hits: counters.hits,
    get_misses: counters.gets - counters.hits,
    bytes: cache.bytes,
    curr_items: cache.size,
    evictions: cache.evictions,
    limit_maxbytes: cache.limit,
  }
  const lines = Object.entries(statistics).map(([name, value]) => `STAT ${name} ${value}\r\n`)
  return `${lines.join('')}END`
}

const COMMANDS: Readonly<Record<string, Run>> = {
  get: createGet(false),
  gets: createGet(true),
  set: store,
  add: store,
  replace: store,
  append: store,
  prepend: store,
  cas: store,
  incr: createIncrement(1),
  decr: createIncrement(-1),
  delete: (cache, [, key]) => (isKey(key) ? (cache.delete(key) ? 'DELETED' : 'NOT_FOUND') : ERROR_FORMAT),
  touch: (cache, [, key, seconds]) => {
    const item = isKey(key) ? cache.get(key) : undefined
    if (item === undefined) return 'NOT_FOUND'
    cache.set(key!, { ...item, expiresAt: cache.toExpiry(Number(seconds)) })
    return 'TOUCHED'
  },
  stats: stats,
  version: () => `VERSION ${VERSION}`,
  verbosity: () => 'OK',
  flush_all: (cache) => {
    cache.clear()
    return 'OK'
  },
}

/** Returns the response without its line end, or undefined after `noreply`. */
export const runCommand = (
  cache: Cache,
  words: readonly string[],
  data: string,
  counters: Counters,
): string | undefined => {
  const isQuiet = words.at(-1) === 'noreply'
  const run = Object.hasOwn(COMMANDS, words[0] ?? '') ? COMMANDS[words[0]!] : undefined
  const answer = run?.(cache, isQuiet ? words.slice(0, -1) : words, data, counters) ?? 'ERROR'
  return isQuiet ? undefined : answer
}
