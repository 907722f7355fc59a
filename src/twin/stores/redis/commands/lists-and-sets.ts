/** Commands of Redis on lists and on sets. */
import { type Keyspace, TYPES } from '../keyspace.ts'
import { OK, RedisError, type Reply } from '../resp.ts'
import { type Command, type Commands, toInteger, toSlice } from './command.ts'

const list = (keys: Keyspace, key: string): readonly string[] => keys.read(key, TYPES.list) ?? []

const set = (keys: Keyspace, key: string): ReadonlySet<string> => keys.read(key, TYPES.set) ?? new Set()

const pushes = (side: 'left' | 'right', onlyWhereThere = false): Command => ({
  arity: -3,
  write: true,
  grows: true,
  run: (keys, [, key, ...values]) => {
    if (onlyWhereThere && keys.read(key!, TYPES.list) === undefined) return 0
    const target = keys.obtain(key!, TYPES.list, () => [])
    // One by one: as many as a command may have are too many for one call.
    if (side === 'right') for (const value of values) target.push(value)
    else if (values.length === 1) target.unshift(values[0]!)
    else keys.set(key!, [...values.reverse(), ...target])
    return keys.read(key!, TYPES.list)!.length
  },
})

const pops = (side: 'left' | 'right'): Command => ({
  arity: -2,
  write: true,
  run: (keys, [, key, count]) => {
    const target = keys.read(key!, TYPES.list)
    if (target === undefined) return null
    const wanted = count === undefined ? 1 : toInteger(count)
    const taken: string[] = []
    while (taken.length < wanted && target.length > 0)
      taken.push(side === 'left' ? target.shift()! : target.pop()!)
    keys.dropWhereEmpty(key!)
    return count === undefined ? taken[0]! : taken
  },
})

const setAt = (keys: Keyspace, [, key, index, value]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.list)
  if (target === undefined) throw new RedisError('ERR no such key')
  const place = toInteger(index) < 0 ? target.length + toInteger(index) : toInteger(index)
  if (place < 0 || place >= target.length) throw new RedisError('ERR index out of range')
  target[place] = value!
  return OK
}

/** From the front so many, from the back where negative, all where 0. */
const removeEqual = (keys: Keyspace, [, key, count, value]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.list)
  if (target === undefined) return 0
  const wanted = toInteger(count)
  let left = wanted === 0 ? target.length : Math.abs(wanted)
  const isKept = (one: string): boolean => one !== value || left-- <= 0
  const kept = wanted < 0 ? target.toReversed().filter(isKept).reverse() : target.filter(isKept)
  keys.set(key!, kept)
  keys.dropWhereEmpty(key!)
  return target.length - kept.length
}

const trim = (keys: Keyspace, [, key, first, last]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.list)
  if (target === undefined) return OK
  keys.set(key!, target.slice(...toSlice(first, last, target.length)))
  keys.dropWhereEmpty(key!)
  return OK
}

const addMembers = (keys: Keyspace, [, key, ...members]: readonly string[]): Reply => {
  const target = keys.obtain(key!, TYPES.set, () => new Set())
  const before = target.size
  for (const member of members) target.add(member)
  return target.size - before
}

const removeMembers = (keys: Keyspace, [, key, ...members]: readonly string[]): Reply => {
  const target = keys.read(key!, TYPES.set)
  if (target === undefined) return 0
  const gone = members.filter((member) => target.delete(member)).length
  keys.dropWhereEmpty(key!)
  return gone
}

const combines = (
  combine: (one: ReadonlySet<string>, other: ReadonlySet<string>) => Set<string>,
): Command => ({
  arity: -2,
  run: (keys, [, ...names]) => {
    const sets = names.map((name) => set(keys, name))
    return [...sets.slice(1).reduce(combine, sets[0]!)]
  },
})

export const LISTS_AND_SETS: Commands = {
  LPUSH: pushes('left'),
  RPUSH: pushes('right'),
  LPUSHX: pushes('left', true),
  RPUSHX: pushes('right', true),
  LPOP: pops('left'),
  RPOP: pops('right'),
  LLEN: { arity: 2, run: (keys, [, key]) => list(keys, key!).length },
  LINDEX: { arity: 3, run: (keys, [, key, index]) => list(keys, key!).at(toInteger(index)) ?? null },
  LRANGE: {
    arity: 4,
    run: (keys, [, key, first, last]) => {
      const found = list(keys, key!)
      return found.slice(...toSlice(first, last, found.length))
    },
  },
  LSET: { arity: 4, write: true, grows: true, run: setAt },
  LREM: { arity: 4, write: true, run: removeEqual },
  LTRIM: { arity: 4, write: true, run: trim },
  SADD: { arity: -3, write: true, grows: true, run: addMembers },
  SREM: { arity: -3, write: true, run: removeMembers },
  SMEMBERS: { arity: 2, run: (keys, [, key]) => [...set(keys, key!)] },
  SISMEMBER: { arity: 3, run: (keys, [, key, member]) => (set(keys, key!).has(member!) ? 1 : 0) },
  SCARD: { arity: 2, run: (keys, [, key]) => set(keys, key!).size },
  SUNION: combines((one, other) => new Set([...one, ...other])),
  SINTER: combines((one, other) => new Set([...one].filter((member) => other.has(member)))),
  SDIFF: combines((one, other) => new Set([...one].filter((member) => !other.has(member)))),
}
