/** Commands of Redis on keys of any type. */
import { type Keyspace, typeOf } from '../keyspace.ts'
import { OK, RedisError, type Reply, Status } from '../resp.ts'
import { type Command, type Commands, syntaxError, toInteger } from './command.ts'

/** `user:*`, `h?llo`, `h[ae]llo` */
const toPattern = (glob: string): RegExp => {
  const source = glob.replace(/\\.|\[[^\]]*\]|[\s\S]/g, (part) => {
    if (part === '*') return '[\\s\\S]*'
    if (part === '?') return '[\\s\\S]'
    if (part.startsWith('[') && part.length > 1) return part
    return (part.length === 2 ? part[1]! : part).replace(/[.*+?^${}()|[\]\\/-]/, '\\$&')
  })
  return new RegExp(`^${source}$`)
}

const ends = (unitMs: number, absolute: boolean): Command => ({
  arity: -3,
  write: true,
  run: (keys, [, key, amount]) => {
    const end = toInteger(amount) * unitMs + (absolute ? 0 : Date.now())
    if (keys.get(key!) === undefined) return 0
    if (end <= Date.now()) keys.delete(key!)
    else keys.endAt(key!, end)
    return 1
  },
  toKeep: ([, key, amount]) => [
    'PEXPIREAT',
    key!,
    String(toInteger(amount) * unitMs + (absolute ? 0 : Date.now())),
  ],
})

const remains = (unitMs: number): Command => ({
  arity: 2,
  run: (keys, [, key]) => {
    if (keys.get(key!) === undefined) return -2
    const end = keys.endOf(key!)
    return end === undefined ? -1 : Math.round((end - Date.now()) / unitMs)
  },
})

const remove: Command = {
  arity: -2,
  write: true,
  run: (keys, [, ...names]) =>
    names.filter((name) => keys.get(name) !== undefined && keys.delete(name)).length,
}

/** The cursor is the number of keys already told. */
const scan = (keys: Keyspace, [, cursor, ...options]: readonly string[]): Reply => {
  const from = toInteger(cursor)
  let count = 10
  let pattern = /^/
  for (let at = 0; at < options.length; at += 2) {
    const option = options[at]!.toUpperCase()
    if (option === 'COUNT') count = toInteger(options[at + 1])
    else if (option === 'MATCH') pattern = toPattern(options[at + 1] ?? '')
    else if (option !== 'TYPE') throw syntaxError()
  }
  const all = keys.keys()
  const next = from + count >= all.length ? 0 : from + count
  return [String(next), all.slice(from, from + count).filter((key) => pattern.test(key))]
}

const rename = (keys: Keyspace, [, from, to]: readonly string[]): Reply => {
  const value = keys.get(from!)
  if (value === undefined) throw new RedisError('ERR no such key')
  const end = keys.endOf(from!)
  keys.delete(from!)
  keys.set(to!, value)
  keys.endAt(to!, end)
  return OK
}

const clear: Command = {
  arity: -1,
  write: true,
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
  EXPIRE: ends(1_000, false),
  PEXPIRE: ends(1, false),
  EXPIREAT: ends(1_000, true),
  PEXPIREAT: ends(1, true),
  TTL: remains(1_000),
  PTTL: remains(1),
  PERSIST: {
    arity: 2,
    write: true,
    run: (keys, [, key]) => {
      if (keys.get(key!) === undefined || keys.endOf(key!) === undefined) return 0
      keys.endAt(key!, undefined)
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
    run: (keys, [, glob]) => {
      const pattern = toPattern(glob!)
      return keys.keys().filter((key) => pattern.test(key))
    },
  },
  SCAN: { arity: -2, run: scan },
  RENAME: { arity: 3, write: true, run: rename },
  DBSIZE: { arity: 1, run: (keys) => keys.keys().length },
  FLUSHALL: clear,
  FLUSHDB: clear,
}
