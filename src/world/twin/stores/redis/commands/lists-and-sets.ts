/** Redis commands on lists and on sets. */
import { type Keyspace, TYPES } from '../keyspace.ts'
import { OK, RedisError, type Reply } from '../resp.ts'
import { type Command, type Commands, parseInteger, toSlice } from './command.ts'

const readList = (keys: Keyspace, key: string): readonly string[] => keys.read(key, TYPES.list) ?? []

const readSet = (keys: Keyspace, key: string): ReadonlySet<string> => keys.read(key, TYPES.set) ?? new Set()

const createPush = (side: 'left' | 'right', onlyIfExists = false): Command => ({
  arity: -3,
  isWrite: true,
  needsMemory: true,
  run: (keys, [, key, ...values]) => {
    if (onlyIfExists && keys.read(key!, TYPES.list) === undefined) return 0
    const target = keys.getOrCreate(key!, TYPES.list, () => [])
    // Pushes one value at a time: a command can have more words than a function call can have arguments.
    if (side === 'right') for (const value of values) target.push(value)
    else if (values.length === 1) target.unshift(values[0]!)
    else keys.set(key!, [...values.reverse(), ...target])
    return keys.read(key!, TYPES.list)!.length
  },
})

const createPop = (side: 'left' | 'right'): Command => ({
  arity: -2,
  isWrite: true,
  run: (keys, [, key, count]) => {
    const target = keys.read(key!, TYPES.list)
    if (target === undefined) return null
    const maxCount = count === undefined ? 1 : parseInteger(count)
    const popped: string[] = []
    while (popped.length < maxCount && target.length > 0)
      popped.push(side === 'left' ? target.shift()! : target.pop()!)
    keys.deleteIfEmpty(key!)
    return count === undefined ? popped[0]! : popped
  },
})

const setAt = (keys: Keyspace, [, key, index, value]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.list)
  if (target === undefined) throw new RedisError('ERR no such key')
  const position = parseInteger(index) < 0 ? target.length + parseInteger(index) : parseInteger(index)
  if (position < 0 || position >= target.length) throw new RedisError('ERR index out of range')
  target[position] = value!
  return OK
}

/**
 * Removes up to `count` equal values from the front. If `count` is negative, removes them from the back; if
 * it is 0, removes all.
 */
const removeEqual = (keys: Keyspace, [, key, count, value]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.list)
  if (target === undefined) return 0
  const signedCount = parseInteger(count)
  let remaining = signedCount === 0 ? target.length : Math.abs(signedCount)
  const isKept = (item: string): boolean => item !== value || remaining-- <= 0
  const kept = signedCount < 0 ? target.toReversed().filter(isKept).reverse() : target.filter(isKept)
  keys.set(key!, kept)
  keys.deleteIfEmpty(key!)
  return target.length - kept.length
}

const trim = (keys: Keyspace, [, key, first, last]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.list)
  if (target === undefined) return OK
  keys.set(key!, target.slice(...toSlice(first, last, target.length)))
  keys.deleteIfEmpty(key!)
  return OK
}

const addMembers = (keys: Keyspace, [, key, ...members]: readonly string[]): Reply => {
  const target = keys.getOrCreate(key!, TYPES.set, () => new Set())
  const sizeBefore = target.size
  for (const member of members) target.add(member)
  return target.size - sizeBefore
}

const removeMembers = (keys: Keyspace, [, key, ...members]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.set)
  if (target === undefined) return 0
  const removedCount = members.filter((member) => target.delete(member)).length
  keys.deleteIfEmpty(key!)
  return removedCount
}

const createSetOperation = (
  combine: (a: ReadonlySet<string>, b: ReadonlySet<string>) => Set<string>,
): Command => ({
  arity: -2,
  run: (keys, [, ...names]) => {
    const sets = names.map((name) => readSet(keys, name))
    return [...sets.slice(1).reduce(combine, sets[0]!)]
  },
})

export const LISTS_AND_SETS: Commands = {
  LPUSH: createPush('left'),
  RPUSH: createPush('right'),
  LPUSHX: createPush('left', true),
  RPUSHX: createPush('right', true),
  LPOP: createPop('left'),
  RPOP: createPop('right'),
  LLEN: { arity: 2, run: (keys, [, key]) => readList(keys, key!).length },
  LINDEX: { arity: 3, run: (keys, [, key, index]) => readList(keys, key!).at(parseInteger(index)) ?? null },
  LRANGE: {
    arity: 4,
    run: (keys, [, key, first, last]) => {
      const items = readList(keys, key!)
      return items.slice(...toSlice(first, last, items.length))
    },
  },
  LSET: { arity: 4, isWrite: true, needsMemory: true, run: setAt },
  LREM: { arity: 4, isWrite: true, run: removeEqual },
  LTRIM: { arity: 4, isWrite: true, run: trim },
  SADD: { arity: -3, isWrite: true, needsMemory: true, run: addMembers },
  SREM: { arity: -3, isWrite: true, run: removeMembers },
  SMEMBERS: { arity: 2, run: (keys, [, key]) => [...readSet(keys, key!)] },
  SISMEMBER: { arity: 3, run: (keys, [, key, member]) => (readSet(keys, key!).has(member!) ? 1 : 0) },
  SCARD: { arity: 2, run: (keys, [, key]) => readSet(keys, key!).size },
  SUNION: createSetOperation((a, b) => new Set([...a, ...b])),
  SINTER: createSetOperation((a, b) => new Set([...a].filter((member) => b.has(member)))),
  SDIFF: createSetOperation((a, b) => new Set([...a].filter((member) => !b.has(member)))),
}
