/** Finds out from the behaviour of the services what they change in a table, a collection or a Redis store. */
import type { SystemView } from '#spec'

/** Whether services change entries that exist, and whether they delete entries. */
export interface ServiceChanges {
  /** Whether they add entries, other than those that are missing at their start. */
  readonly inserts: boolean
  readonly updates: boolean
  readonly deletes: boolean
}

const UNKNOWN: ServiceChanges = { inserts: true, updates: true, deletes: true }

/** Commands after which every key still exists, and does not expire. */
const KEEPING_COMMANDS: readonly string[] = [
  ...[
    'GET',
    'EXISTS',
    'TYPE',
    'HGET',
    'HGETALL',
    'HMGET',
    'HSET',
    'HINCRBY',
    'INCR',
    'LRANGE',
    'LPUSH',
    'RPUSH',
  ],
  ...['SADD', 'SMEMBERS', 'SISMEMBER', 'SCARD', 'ZADD', 'ZRANGE', 'ZREVRANGE', 'ZSCORE', 'ZCARD', 'ZINCRBY'],
]

/** All texts and all steps of Redis in a behaviour. */
interface Parts {
  readonly texts: readonly string[]
  /** Those that do not belong to the start of a service. */
  readonly textsOfRequests: readonly string[]
  readonly redis: readonly (readonly [store: string, command: string])[]
}

const partsBySystem = new WeakMap<SystemView, Parts>()

const partsOf = (system: SystemView): Parts => {
  const known = partsBySystem.get(system)
  if (known !== undefined) return known
  const texts: string[] = []
  const textsOfRequests: string[] = []
  const redis: (readonly [string, string])[] = []
  const visit = (value: unknown, isStart = false): void => {
    if (typeof value === 'string') {
      texts.push(value)
      if (!isStart) textsOfRequests.push(value)
    }
    if (typeof value !== 'object' || value === null) return
    const { query, redis: words } = value as { readonly query?: unknown; readonly redis?: unknown }
    if (Array.isArray(words)) redis.push([String(query), String(words[0])])
    for (const [name, member] of Object.entries(value)) visit(member, isStart || name === 'start')
  }
  for (const { behaviour } of Object.values(system.topology?.services ?? {})) visit(behaviour)
  const parts = { texts, textsOfRequests, redis }
  partsBySystem.set(system, parts)
  return parts
}

const escapePattern = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const changesOfRedis = (system: SystemView, store: string): ServiceChanges => {
  const commands = partsOf(system).redis.flatMap(([name, command]) => (name === store ? [command] : []))
  const isKeeping = (command: string): boolean =>
    KEEPING_COMMANDS.includes(command.replaceAll('"', '').toUpperCase())
  return { inserts: true, updates: true, deletes: commands.length === 0 || !commands.every(isKeeping) }
}

/** Statements of SQL, and commands of MongoDB. */
const toUpdates = (sql: string, mongo: string): RegExp =>
  new RegExp(
    String.raw`\bUPDATE\s+${sql}|\bINTO\s+${sql}.*\bON\s+DUPLICATE\b|"(?:update|findAndModify)":\s*${mongo}`,
    'is',
  )
const toDeletes = (sql: string, mongo: string): RegExp => {
  const statements = String.raw`REPLACE\s+INTO|DELETE\s+FROM|(?:TRUNCATE|DROP|ALTER|RENAME)(?:\s+TABLE)?(?:\s+IF\s+EXISTS)?`
  return new RegExp(
    String.raw`\b(?:${statements})\s+${sql}|"(?:delete|drop|findAndModify)":\s*${mongo}|\bDROP\s+DATABASE\b|"dropDatabase"`,
    'is',
  )
}

const toInserts = (sql: string, mongo: string): RegExp =>
  new RegExp(String.raw`\bINSERT\s+(?:IGNORE\s+)?INTO\s+${sql}|"insert":\s*${mongo}`, 'is')

const changesOfTable = (system: SystemView, name: string): ServiceChanges => {
  const { texts, textsOfRequests } = partsOf(system)
  const table = name.slice(name.indexOf('.') + 1)
  // A table that no service names is changed by other programs.
  if (!texts.some((text) => text.includes(table))) return UNKNOWN
  const [sql, mongo] = [`(?:\\w+\\.)?\`?${escapePattern(table)}(?![\\w-])`, `"${escapePattern(table)}"`]
  const isIn = (expression: RegExp): boolean => texts.some((text) => expression.test(text))
  const insertion = toInserts(sql, mongo)
  const inserts = textsOfRequests.some((text) => insertion.test(text))
  return { inserts, updates: isIn(toUpdates(sql, mongo)), deletes: isIn(toDeletes(sql, mongo)) }
}

/** `table` is the name in the record. */
export const changesOfServices = (system: SystemView, store: string, table: string): ServiceChanges =>
  system.topology?.services[store]?.behaviour.protocol === 'redis'
    ? changesOfRedis(system, store)
    : changesOfTable(system, table)
