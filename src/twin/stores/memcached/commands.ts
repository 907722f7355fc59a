/** The commands of memcached's text protocol. */
import { type Cache, type Item, toEnd } from './cache.ts'

/** What the server tells of itself. */
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

/** Behind the line of these comes a block of data. */
export const STORING = new Set(['set', 'add', 'replace', 'append', 'prepend', 'cas'])

type Run = (cache: Cache, words: readonly string[], data: string, counters: Counters) => string

const LONGEST_KEY = 250

/** Of one answer: the same key may be asked for a thousand times in a line. */
const MOST_LETTERS = 128 * 1024 * 1024

const ERROR_FORMAT = 'CLIENT_ERROR bad command line format'

const isKey = (key: string | undefined): key is string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys have none
  key !== undefined && key.length <= LONGEST_KEY && !/[\x00-\x20]/.test(key)

/** Whether the item is stored, and as what, given what is there. */
const STORES: Readonly<
  Record<string, (there: Item | undefined, data: string, version: number) => string | null>
> = {
  set: (_, data) => data,
  add: (there, data) => (there === undefined ? data : null),
  replace: (there, data) => (there === undefined ? null : data),
  append: (there, data) => (there === undefined ? null : there.value + data),
  prepend: (there, data) => (there === undefined ? null : data + there.value),
  cas: (there, data, version) => (there?.version === version ? data : null),
}

const store: Run = (cache, [name, key, flags, seconds, , version], data, counters) => {
  if (!isKey(key)) return ERROR_FORMAT
  const there = cache.get(key)
  const value = STORES[name!]!(there, data, Number(version))
  counters.sets += 1
  if (name === 'cas' && there === undefined) return 'NOT_FOUND'
  if (value === null) return name === 'cas' ? 'EXISTS' : 'NOT_STORED'
  if (key.length + value.length > cache.largest) return 'SERVER_ERROR object too large for cache'
  const keeps = name === 'append' || name === 'prepend'
  cache.set(key, {
    value,
    flags: keeps ? there!.flags : Number(flags),
    end: keeps ? there!.end : toEnd(Number(seconds)),
  })
  return 'STORED'
}

const retrieves =
  (withVersion: boolean): Run =>
  (cache, [, ...keys], _, counters) => {
    if (keys.length === 0 || !keys.every(isKey)) return keys.length === 0 ? 'ERROR' : ERROR_FORMAT
    let letters = 0
    const found = keys.map((key) => {
      const item = cache.get(key)
      counters.gets += 1
      if (item === undefined) return ''
      counters.hits += 1
      const version = withVersion ? ` ${item.version}` : ''
      letters += item.value.length
      if (letters > MOST_LETTERS) return ''
      return `VALUE ${key} ${item.flags} ${item.value.length}${version}\r\n${item.value}\r\n`
    })
    return letters > MOST_LETTERS ? 'SERVER_ERROR out of memory writing get response' : `${found.join('')}END`
  }

const adds =
  (sign: 1 | -1): Run =>
  (cache, [, key, amount]) => {
    if (!isKey(key) || !/^\d+$/.test(amount ?? '')) return 'CLIENT_ERROR invalid numeric delta argument'
    const item = cache.get(key)
    if (item === undefined) return 'NOT_FOUND'
    if (!/^\d+ *$/.test(item.value)) return 'CLIENT_ERROR cannot increment or decrement non-numeric value'
    const sum = BigInt(item.value.trim()) + BigInt(sign) * BigInt(amount!)
    // It wraps at the top and stops at the bottom.
    const value = String(sum < 0n ? 0n : BigInt.asUintN(64, sum))
    cache.set(key, { ...item, value })
    return value
  }

const tell: Run = (cache, [, what], _, counters) => {
  if (what !== undefined) return 'END'
  const now = Date.now()
  const facts = {
    pid: process.pid,
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
  const lines = Object.entries(facts).map(([name, value]) => `STAT ${name} ${value}\r\n`)
  return `${lines.join('')}END`
}

const COMMANDS: Readonly<Record<string, Run>> = {
  get: retrieves(false),
  gets: retrieves(true),
  set: store,
  add: store,
  replace: store,
  append: store,
  prepend: store,
  cas: store,
  incr: adds(1),
  decr: adds(-1),
  delete: (cache, [, key]) => (isKey(key) ? (cache.delete(key) ? 'DELETED' : 'NOT_FOUND') : ERROR_FORMAT),
  touch: (cache, [, key, seconds]) => {
    const item = isKey(key) ? cache.get(key) : undefined
    if (item === undefined) return 'NOT_FOUND'
    cache.set(key!, { ...item, end: toEnd(Number(seconds)) })
    return 'TOUCHED'
  },
  stats: tell,
  version: () => `VERSION ${VERSION}`,
  verbosity: () => 'OK',
  flush_all: (cache) => {
    cache.clear()
    return 'OK'
  },
}

/** The answer without its end of line; undefined where none is wanted. */
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
