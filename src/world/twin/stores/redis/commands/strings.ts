/** Redis commands on strings. */
import { type Keyspace, TYPES } from '../keyspace.ts'
import { OK, RedisError, type Reply } from '../resp.ts'
import { type Command, type Commands, parseInteger, parseNumber, syntaxError } from './command.ts'

interface SetOptions {
  readonly expiresAt?: number
  readonly condition?: 'NX' | 'XX'
  readonly get: boolean
  readonly keepsExpiry: boolean
}

/** Converts the argument of `EX`, `PX`, `EXAT` or `PXAT` to milliseconds since the epoch. */
const toExpiry = (unit: string, text: string | undefined, now: number): number => {
  const amount = parseInteger(text)
  if (amount <= 0) throw new RedisError("ERR invalid expire time in 'set' command")
  const ms = unit.startsWith('EX') ? amount * 1_000 : amount
  return unit.endsWith('AT') ? ms : now + ms
}

const parseSetOptions = (words: readonly string[], now: number): SetOptions => {
  let options: SetOptions = { get: false, keepsExpiry: false }
  for (let at = 3; at < words.length; at++) {
    const option = words[at]!.toUpperCase()
    if (option === 'NX' || option === 'XX') options = { ...options, condition: option }
    else if (option === 'GET') options = { ...options, get: true }
    else if (option === 'KEEPTTL') options = { ...options, keepsExpiry: true }
    else if (['EX', 'PX', 'EXAT', 'PXAT'].includes(option))
      options = { ...options, expiresAt: toExpiry(option, words[++at], now) }
    else throw syntaxError()
  }
  return options
}

const set = (keys: Keyspace, words: readonly string[]): Reply => {
  const [, key, value] = words as [string, string, string]
  const options = parseSetOptions(words, keys.now())
  const previous = options.get ? (keys.read(key, TYPES.string) ?? null) : null
  const exists = keys.get(key) !== undefined
  if (options.condition === 'NX' ? exists : options.condition === 'XX' && !exists) return previous
  keys.set(key, value)
  if (!options.keepsExpiry) keys.expireAt(key, options.expiresAt)
  return options.get ? previous : OK
}

/** Converts relative expiry times to absolute ones. */
const toLoggedSet = (words: readonly string[], now: number): readonly string[] => {
  const { expiresAt } = parseSetOptions(words, now)
  if (expiresAt === undefined) return words
  const rest = words.slice(3).filter((word, at, all) => {
    const unit = /^(EX|PX|EXAT|PXAT)$/i
    return !unit.test(word) && !(at > 0 && unit.test(all[at - 1]!))
  })
  return [...words.slice(0, 3), ...rest, 'PXAT', String(expiresAt)]
}

const createSetWithExpiry = (unit: string): Command => ({
  arity: 4,
  isWrite: true,
  needsMemory: true,
  run: (keys, [, key, amount, value]) => set(keys, ['SET', key!, value!, unit, amount!]),
  toLogged: ([, key, amount, value], now) => toLoggedSet(['SET', key!, value!, unit, amount!], now),
})

const incrementBy = (keys: Keyspace, key: string, amount: number): Reply => {
  const sum = parseInteger(keys.read(key, TYPES.string) ?? '0') + amount
  keys.set(key, String(sum))
  return sum
}

const createIncrement = (amountOf: (words: readonly string[]) => number, arity: number): Command => ({
  arity,
  isWrite: true,
  needsMemory: true,
  run: (keys, words) => incrementBy(keys, words[1]!, amountOf(words)),
})

const setMany = (keys: Keyspace, words: readonly string[]): Reply => {
  if (words.length % 2 === 0) throw new RedisError("ERR wrong number of arguments for 'mset' command")
  for (let at = 1; at < words.length; at += 2) {
    keys.delete(words[at]!)
    keys.set(words[at]!, words[at + 1]!)
  }
  return OK
}

export const STRINGS: Commands = {
  GET: { arity: 2, run: (keys, [, key]) => keys.read(key!, TYPES.string) ?? null },
  SET: { arity: -3, isWrite: true, needsMemory: true, run: set, toLogged: toLoggedSet },
  SETEX: createSetWithExpiry('EX'),
  PSETEX: createSetWithExpiry('PX'),
  SETNX: {
    arity: 3,
    isWrite: true,
    needsMemory: true,
    run: (keys, [, key, value]) => (set(keys, ['SET', key!, value!, 'NX']) === OK ? 1 : 0),
  },
  GETSET: {
    arity: 3,
    isWrite: true,
    needsMemory: true,
    run: (keys, [, key, value]) => set(keys, ['SET', key!, value!, 'GET']),
  },
  GETDEL: {
    arity: 2,
    isWrite: true,
    run: (keys, [, key]) => {
      const value = keys.read(key!, TYPES.string) ?? null
      keys.delete(key!)
      return value
    },
  },
  MGET: {
    arity: -2,
    run: (keys, [, ...names]) =>
      names.map((name) => {
        const value = keys.get(name)
        return typeof value === 'string' ? value : null
      }),
  },
  MSET: { arity: -3, isWrite: true, needsMemory: true, run: setMany },
  APPEND: {
    arity: 3,
    isWrite: true,
    needsMemory: true,
    run: (keys, [, key, text]) => {
      const value = (keys.read(key!, TYPES.string) ?? '') + text!
      keys.set(key!, value)
      return value.length
    },
  },
  STRLEN: { arity: 2, run: (keys, [, key]) => keys.read(key!, TYPES.string)?.length ?? 0 },
  INCR: createIncrement(() => 1, 2),
  DECR: createIncrement(() => -1, 2),
  INCRBY: createIncrement(([, , amount]) => parseInteger(amount), 3),
  DECRBY: createIncrement(([, , amount]) => -parseInteger(amount), 3),
  INCRBYFLOAT: {
    arity: 3,
    isWrite: true,
    needsMemory: true,
    run: (keys, [, key, amount]) => {
      const sum = String(parseNumber(keys.read(key!, TYPES.string) ?? '0') + parseNumber(amount))
      keys.set(key!, sum)
      return sum
    },
  },
}
