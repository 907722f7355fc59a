/** Redis commands on hashes. */
import { type Keyspace, TYPES } from '../keyspace.ts'
import { OK, RedisError, type Reply } from '../resp.ts'
import { type Commands, parseInteger } from './command.ts'

const readHash = (keys: Keyspace, key: string): ReadonlyMap<string, string> =>
  keys.read(key, TYPES.hash) ?? new Map()

const setFields = (keys: Keyspace, [name, key, ...pairs]: readonly string[]): number => {
  if (pairs.length % 2 !== 0)
    throw new RedisError(`ERR wrong number of arguments for '${name!.toLowerCase()}' command`)
  const hash = keys.getOrCreate(key!, TYPES.hash, () => new Map())
  const sizeBefore = hash.size
  for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at]!, pairs[at + 1]!)
  return hash.size - sizeBefore
}

const setNewField = (keys: Keyspace, [, key, field, value]: readonly string[]): Reply => {
  const hash = keys.getOrCreate(key!, TYPES.hash, () => new Map())
  if (hash.has(field!)) return 0
  hash.set(field!, value!)
  return 1
}

const addToField = (keys: Keyspace, [, key, field, amount]: readonly string[]): Reply => {
  const sum = parseInteger(readHash(keys, key!).get(field!) ?? '0') + parseInteger(amount)
  keys.getOrCreate(key!, TYPES.hash, () => new Map()).set(field!, String(sum))
  return sum
}

const deleteFields = (keys: Keyspace, [, key, ...fields]: readonly string[]): Reply => {
  const hash = keys.read(key!, TYPES.hash)
  if (hash === undefined) return 0
  const deletedCount = fields.filter((field) => hash.delete(field)).length
  keys.deleteIfEmpty(key!)
  return deletedCount
}

export const HASHES: Commands = {
  HGET: { arity: 3, run: (keys, [, key, field]) => readHash(keys, key!).get(field!) ?? null },
  HSET: { arity: -4, isWrite: true, needsMemory: true, run: setFields },
  HMSET: {
    arity: -4,
    isWrite: true,
    needsMemory: true,
    run: (keys, words) => {
      setFields(keys, words)
      return OK
    },
  },
  HSETNX: { arity: 4, isWrite: true, needsMemory: true, run: setNewField },
  HMGET: {
    arity: -3,
    run: (keys, [, key, ...fields]) => {
      const hash = readHash(keys, key!)
      return fields.map((field) => hash.get(field) ?? null)
    },
  },
  HGETALL: { arity: 2, run: (keys, [, key]) => [...readHash(keys, key!)].flat() },
  HKEYS: { arity: 2, run: (keys, [, key]) => [...readHash(keys, key!).keys()] },
  HVALS: { arity: 2, run: (keys, [, key]) => [...readHash(keys, key!).values()] },
  HLEN: { arity: 2, run: (keys, [, key]) => readHash(keys, key!).size },
  HEXISTS: { arity: 3, run: (keys, [, key, field]) => (readHash(keys, key!).has(field!) ? 1 : 0) },
  HDEL: { arity: -3, isWrite: true, run: deleteFields },
  HINCRBY: { arity: 4, isWrite: true, needsMemory: true, run: addToField },
}
