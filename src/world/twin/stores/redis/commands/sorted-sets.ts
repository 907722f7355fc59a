/** Redis commands on sorted sets. */
import { type Keyspace, TYPES } from '../keyspace.ts'
import { RedisError, type Reply } from '../resp.ts'
import { type Member, SortedSet } from '../sorted-set.ts'
import { type Command, type Commands, parseInteger, parseNumber, syntaxError, toSlice } from './command.ts'

const readMembers = (keys: Keyspace, key: string): readonly Member[] =>
  keys.read(key, TYPES.zset)?.members ?? []

const formatScore = (score: number): string =>
  score === Number.POSITIVE_INFINITY ? 'inf' : score === Number.NEGATIVE_INFINITY ? '-inf' : String(score)

const addMembers = (keys: Keyspace, [, key, ...rest]: readonly string[]): Reply => {
  const flags = new Set<string>()
  while (rest.length > 0 && /^(NX|XX|GT|LT|CH|INCR)$/i.test(rest[0]!)) flags.add(rest.shift()!.toUpperCase())
  if (rest.length === 0 || rest.length % 2 !== 0) throw syntaxError()
  const pairs = Array.from({ length: rest.length / 2 }, (_, at) => ({
    score: parseNumber(rest[2 * at]),
    name: rest[2 * at + 1]!,
  }))
  const set = keys.getOrCreate(key!, TYPES.zset, () => new SortedSet())
  let added = 0
  let changed = 0
  let last: number | null = null
  for (const { name, score: amount } of pairs) {
    const current = set.score(name)
    const score = flags.has('INCR') ? (current ?? 0) + amount : amount
    if (flags.has('NX') && current !== undefined) continue
    if (flags.has('XX') && current === undefined) continue
    if (current !== undefined && flags.has('GT') && score <= current) continue
    if (current !== undefined && flags.has('LT') && score >= current) continue
    if (set.add(name, score)) added += 1
    if (current !== score) changed += 1
    last = score
  }
  keys.deleteIfEmpty(key!)
  if (flags.has('INCR')) return last === null ? null : formatScore(last)
  return flags.has('CH') ? changed : added
}

const removeMembers = (keys: Keyspace, key: string, names: readonly string[]): Reply => {
  const set = keys.read(key, TYPES.zset)
  if (set === undefined) return 0
  const removed = names.filter((name) => set.remove(name)).length
  keys.deleteIfEmpty(key)
  return removed
}

/** Parses a bound such as `5`, `(5` or `-inf` into a test for scores above or below it. */
const parseBound = (text: string | undefined, side: 'above' | 'below'): ((score: number) => boolean) => {
  if (text === undefined || !/^\(?[+-]?(inf|[\d.]+(e[+-]?\d+)?)$/i.test(text))
    throw new RedisError('ERR min or max is not a float')
  const isExclusive = text.startsWith('(')
  const bound = parseNumber(isExclusive ? text.slice(1) : text)
  if (side === 'above') return (score) => (isExclusive ? score > bound : score >= bound)
  return (score) => (isExclusive ? score < bound : score <= bound)
}

const findBetween = (keys: Keyspace, key: string, low: string, high: string): Member[] => {
  const above = parseBound(low, 'above')
  const below = parseBound(high, 'below')
  return readMembers(keys, key).filter(({ score }) => above(score) && below(score))
}

const toReply = (found: readonly Member[], withScores: boolean): Reply =>
  found.flatMap(({ name, score }) => (withScores ? [name, formatScore(score)] : [name]))

const wantsScores = (options: readonly string[]): boolean =>
  options.some((word) => word.toUpperCase() === 'WITHSCORES')

const applyLimit = (found: readonly Member[], options: readonly string[]): readonly Member[] => {
  const at = options.findIndex((word) => word.toUpperCase() === 'LIMIT')
  if (at < 0) return found
  const offset = parseInteger(options[at + 1])
  const count = parseInteger(options[at + 2])
  return found.slice(offset, count < 0 ? undefined : offset + count)
}

const readRange = (
  keys: Keyspace,
  [, key, first, last, ...options]: readonly string[],
  isDescending: boolean,
): Reply => {
  const flags = new Set(options.map((word) => word.toUpperCase()))
  const reverse = isDescending || flags.has('REV')
  if (flags.has('BYSCORE')) {
    const [low, high] = reverse ? [last!, first!] : [first!, last!]
    const found = findBetween(keys, key!, low, high)
    return toReply(applyLimit(reverse ? found.reverse() : found, options), wantsScores(options))
  }
  const all = reverse ? [...readMembers(keys, key!)].reverse() : readMembers(keys, key!)
  return toReply(all.slice(...toSlice(first, last, all.length)), wantsScores(options))
}

const createRank = (isDescending: boolean): Command => ({
  arity: 3,
  run: (keys, [, key, name]) => {
    const set = keys.read(key!, TYPES.zset)
    const rank = set?.rank(name!)
    if (set === undefined || rank === undefined) return null
    return isDescending ? set.size - 1 - rank : rank
  },
})

const createRangeByScore = (isDescending: boolean): Command => ({
  arity: -4,
  run: (keys, [, key, first, second, ...options]) => {
    const found = findBetween(
      keys,
      key!,
      ...((isDescending ? [second!, first!] : [first!, second!]) as [string, string]),
    )
    return toReply(applyLimit(isDescending ? found.reverse() : found, options), wantsScores(options))
  },
})

export const SORTED_SETS: Commands = {
  ZADD: { arity: -4, isWrite: true, needsMemory: true, run: addMembers },
  ZINCRBY: {
    arity: 4,
    isWrite: true,
    needsMemory: true,
    run: (keys, [, key, amount, name]) => addMembers(keys, ['ZADD', key!, 'INCR', amount!, name!]),
  },
  ZREM: { arity: -3, isWrite: true, run: (keys, [, key, ...names]) => removeMembers(keys, key!, names) },
  ZCARD: { arity: 2, run: (keys, [, key]) => readMembers(keys, key!).length },
  ZSCORE: {
    arity: 3,
    run: (keys, [, key, name]) => {
      const score = keys.read(key!, TYPES.zset)?.score(name!)
      return score === undefined ? null : formatScore(score)
    },
  },
  ZRANK: createRank(false),
  ZREVRANK: createRank(true),
  ZRANGE: { arity: -4, run: (keys, words) => readRange(keys, words, false) },
  ZREVRANGE: { arity: -4, run: (keys, words) => readRange(keys, words, true) },
  ZRANGEBYSCORE: createRangeByScore(false),
  ZREVRANGEBYSCORE: createRangeByScore(true),
  ZCOUNT: { arity: 4, run: (keys, [, key, low, high]) => findBetween(keys, key!, low!, high!).length },
  ZREMRANGEBYRANK: {
    arity: 4,
    isWrite: true,
    run: (keys, [, key, first, last]) => {
      const all = readMembers(keys, key!)
      const removed = all.slice(...toSlice(first, last, all.length))
      return removeMembers(
        keys,
        key!,
        removed.map(({ name }) => name),
      )
    },
  },
  ZREMRANGEBYSCORE: {
    arity: 4,
    isWrite: true,
    run: (keys, [, key, low, high]) =>
      removeMembers(
        keys,
        key!,
        findBetween(keys, key!, low!, high!).map(({ name }) => name),
      ),
  },
}
