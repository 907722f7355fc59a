/** Redis commands on keys of any type. */
import { createMatcher } from '../glob.ts'
import { type Keyspace, typeOf } from '../keyspace.ts'
import { OK, RedisError, type Reply, Status } from '../resp.ts'
import { type Command, type Commands, parseInteger, syntaxError } from './command.ts'

const createExpire = (unitMs: number, isAbsolute: boolean): Command => ({
  arity: -3,
  isWrite: true,
  run: (keys, [, key, amount]) => {
    const expiresAt = parseInteger(amount) * unitMs + (isAbsolute ? 0 : keys.now())
    if (keys.get(key!) === undefined) return 0
    keys.expireAt(key!, expiresAt)
    return 1
  },
  toLogged: ([, key, amount], now) => {
    const expiresAt = parseInteger(amount) * unitMs + (isAbsolute ? 0 : now)
    // As in Redis, an expiry in the past is logged as a deletion.
    return expiresAt <= now ? ['DEL', key!] : ['PEXPIREAT', key!, String(expiresAt)]
  },
})

const createTimeToLive = (unitMs: number): Command => ({
  arity: 2,
  run: (keys, [, key]) => {
    if (keys.get(key!) === undefined) return -2
    const expiresAt = keys.expiryOf(key!)
    return expiresAt === undefined ? -1 : Math.round((expiresAt - keys.now()) / unitMs)
  },
})

const remove: Command = {
  arity: -2,
  isWrite: true,
  run: (keys, [, ...names]) =>
    names.filter((name) => keys.get(name) !== undefined && keys.delete(name)).length,
}

/** The cursor is the number of keys already returned. */
const scan = (keys: Keyspace, [, cursor, ...options]: readonly string[]): Reply => {
  const from = parseInteger(cursor)
  let count = 10
  let matches = (_: string): boolean => true
  for (let at = 0; at < options.length; at += 2) {
    const option = options[at]!.toUpperCase()
    if (option === 'COUNT') count = parseInteger(options[at + 1])
    else if (option === 'MATCH') matches = createMatcher(options[at + 1] ?? '')
    else if (option !== 'TYPE') throw syntaxError()
  }
  if (count < 1) throw syntaxError()
  const all = keys.keys()
  const next = from + count >= all.length ? 0 : from + count
  return [String(next), all.slice(from, from + count).filter(matches)]
}

const rename = (keys: Keyspace, [, from, to]: readonly string[]): Reply => {
  const value = keys.get(from!)
  if (value === undefined) throw new RedisError('ERR no such key')
  const expiresAt = keys.expiryOf(from!)
  keys.delete(from!)
  keys.set(to!, value)
  keys.expireAt(to!, expiresAt)
  return OK
}

const clear: Command = {
  arity: -1,
  isWrite: true,
  run: (keys) => {
    keys.clear()
    return OK
  },
}

export const KEYS: Commands = {
  DEL: remove,
  UNLINK: remove,
  EXISTS: {
    arity: -2,
    run: (keys, [, ...names]) => names.filter((name) => keys.get(name) !== undefined).length,
  },
  EXPIRE: createExpire(1_000, false),
  PEXPIRE: createExpire(1, false),
  EXPIREAT: createExpire(1_000, true),
  PEXPIREAT: createExpire(1, true),
  TTL: createTimeToLive(1_000),
  PTTL: createTimeToLive(1),
  PERSIST: {
    arity: 2,
    isWrite: true,
    run: (keys, [, key]) => {
      if (keys.get(key!) === undefined || keys.expiryOf(key!) === undefined) return 0
      keys.expireAt(key!, undefined)
      return 1
    },
  },
  TYPE: {
    arity: 2,
    run: (keys, [, key]) => {
      const value = keys.get(key!)
      return new Status(value === undefined ? 'none' : typeOf(value))
    },
  },
  KEYS: {
    arity: 2,
    run: (keys, [, glob]) => keys.keys().filter(createMatcher(glob!)),
  },
  SCAN: { arity: -2, run: scan },
  RENAME: { arity: 3, isWrite: true, run: rename },
  DBSIZE: { arity: 1, run: (keys) => keys.keys().length },
  FLUSHALL: clear,
  FLUSHDB: clear,
}
