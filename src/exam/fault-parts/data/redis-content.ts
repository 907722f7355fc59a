/**
 * Samples a Redis store. Users change and delete their entries all the time, so the sample has two parts: the keys of entries of users,
 * which must exist, and entries that the laboratory adds, which must keep their content. An added entry is made like one of a user.
 */

import { isDeepStrictEqual } from 'node:util'
import { toFingerprint } from '#exam/effects'
import { digestOf } from '#kit'
import type { StoredContent } from '#spec'
import type { StoreClient } from '#world/twin/stores'

type StoredTables = StoredContent['tables']

/** Entries of users, whose content is not compared. */
const KEYS = 'keys'
const ANY_CONTENT = '-'
/** Entries of the laboratory. */
const ADDED = 'added'

const MAX_KEYS = 30
const ADDED_ENTRIES = 4
/** The number of keys that are read to choose from. */
const MAX_SCANNED = 2000
/** A shorter generated part of a key could be that of a user. */
const MIN_GENERATED_CHARACTERS = 16

type Query = (...words: readonly string[]) => Promise<unknown>

/** How entries of a type are read and written. Users of other types do not exist. */
const TYPES: Readonly<
  Record<
    string,
    {
      readonly read: (key: string) => readonly string[]
      readonly write: (key: string, values: readonly string[]) => readonly string[]
    }
  >
> = {
  string: { read: (key) => ['GET', key], write: (key, values) => ['SET', key, ...values] },
  hash: { read: (key) => ['HGETALL', key], write: (key, values) => ['HSET', key, ...values] },
  list: { read: (key) => ['LRANGE', key, '0', '-1'], write: (key, values) => ['RPUSH', key, ...values] },
  set: { read: (key) => ['SMEMBERS', key], write: (key, values) => ['SADD', key, ...values] },
  zset: {
    read: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
    write: (key, values) => [
      'ZADD',
      key,
      // Read as member and score, written as score and member.
      ...values.flatMap((value, index) => (index % 2 === 1 ? [value, values[index - 1]!] : [])),
    ],
  },
}

/** Whether the entry exists and does not expire. */
const isKept = async (query: Query, key: string): Promise<boolean> => (await query('TTL', key)) === -1

/** All parts of the content as a list; undefined if the entry does not exist, expires or has an unknown type. */
const readEntry = async (
  query: Query,
  key: string,
): Promise<{ readonly type: string; readonly values: readonly string[] } | undefined> => {
  const type = String(await query('TYPE', key))
  if (TYPES[type] === undefined || !(await isKept(query, key))) return undefined
  const found = await query(...TYPES[type].read(key))
  if (found === null) return undefined
  return { type, values: (Array.isArray(found) ? found : [found]).map(String) }
}

const toAdded = (key: string, content: unknown): string =>
  `${key} ${toFingerprint(JSON.stringify(content ?? null))}`
const keyOf = (recorded: string): string => recorded.slice(0, recorded.lastIndexOf(' '))

/** The keys of entries that do not expire, in an order that depends on the pod. */
const listKeys = async (query: Query, pod: string): Promise<string[]> => {
  const keys = new Set<string>()
  let cursor = '0'
  do {
    const [next, found] = (await query('SCAN', cursor, 'COUNT', '500')) as [string, readonly string[]]
    for (const key of found) keys.add(key)
    cursor = String(next)
  } while (cursor !== '0' && keys.size < MAX_SCANNED)
  return [...keys]
    .map((key) => [digestOf(`${pod} ${key}`), key] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, key]) => key)
}

/** Digits, decimal or hexadecimal in lower case, as in ids that programs generate. The dashes of a UUID separate its parts. */
const GENERATED = /\b[0-9a-f]{4,}(?:-[0-9a-f]{4,})*\b/
const [DECIMAL, HEXADECIMAL] = ['0123456789', '0123456789abcdef']
/** The positions of a UUID that state its version and variant. */
const UUID_FIXED: readonly number[] = [14, 19]
/** With so many keys of the same form, the digits at each position are known. */
const MIN_KEYS_OF_FORM = 8

const generatedIn = (key: string): string => GENERATED.exec(key)?.[0] ?? ''

const alphabetOf = (generated: string): string => (/[a-f]/.test(generated) ? HEXADECIMAL : DECIMAL)

/** Equal for keys that differ only in generated digits. */
const formOf = (key: string): string => {
  const generated = generatedIn(key)
  return key.replace(generated, `${alphabetOf(generated).length}${generated.replaceAll(/[0-9a-f]/g, '.')}`)
}

/** A key of the same form with other digits; undefined if no part of the key is long enough to be generated. */
const toSimilarKey = (key: string, seed: string, keys: readonly string[]): string | undefined => {
  const generated = generatedIn(key)
  if (generated.replaceAll('-', '').length < MIN_GENERATED_CHARACTERS) return undefined
  const form = formOf(key)
  const known = keys.filter((other) => formOf(other) === form).map(generatedIn)
  const digitsAt = (index: number): string => {
    if (known.length >= MIN_KEYS_OF_FORM)
      return [...new Set(known.map((other) => other[index]!))].sort().join('')
    const isFixed = generated[index] === '-' || (generated.includes('-') && UUID_FIXED.includes(index))
    return isFixed ? generated[index]! : alphabetOf(generated)
  }
  const draws = digestOf(seed)
  const similar = [...generated].map((_, index) => {
    const digits = digitsAt(index)
    const draw = Number.parseInt(draws.slice(index, index + 2).padEnd(2, '7'), 16)
    return digits[draw % digits.length]!
  })
  return key.replace(generated, similar.join(''))
}

/** Adds entries like those with the keys; several like one key if there are few. */
const addEntries = async (query: Query, pod: string, keys: readonly string[]): Promise<string[]> => {
  const added: string[] = []
  const rounds = Array.from({ length: ADDED_ENTRIES }, (_, round) => keys.map((key) => [round, key] as const))
  for (const [round, key] of rounds.flat()) {
    if (added.length === ADDED_ENTRIES) break
    const similar = toSimilarKey(key, `${pod} ${round} ${key}`, keys)
    const entry = similar === undefined ? undefined : await readEntry(query, key)
    if (similar === undefined || entry === undefined) continue
    const values = entry.values.map((value) => value.replaceAll(key, similar))
    if ((await query('EXISTS', similar)) === 0) await query(...TYPES[entry.type]!.write(similar, values))
    const present = await readEntry(query, similar)
    // It existed already if an earlier episode added it. With other content, it may be an entry of a user.
    if (isDeepStrictEqual(present, { ...entry, values })) added.push(toAdded(similar, present))
  }
  return added
}

const KEYSPACE = /^db0:keys=(\d+),expires=(\d+)/m

/** The number of entries that do not expire. */
const countKept = async (query: Query): Promise<number> => {
  const [, keys = '0', expiring = '0'] = KEYSPACE.exec(String(await query('INFO', 'keyspace'))) ?? []
  return Number(keys) - Number(expiring)
}

const readEntries = async (
  query: Query,
  pod: string,
  known: StoredTables | undefined,
): Promise<StoredTables> => {
  if (known === undefined) {
    const all = await listKeys(query, pod)
    const keys: string[] = []
    for (const key of all.slice(0, MAX_KEYS)) if (await isKept(query, key)) keys.push(key)
    const added = await addEntries(query, pod, keys)
    return { [KEYS]: keys.map((key) => `${key} ${ANY_CONTENT}`), [ADDED]: added }
  }
  const keys: string[] = []
  for (const entry of known[KEYS] ?? []) if (await isKept(query, keyOf(entry))) keys.push(entry)
  const added: string[] = []
  for (const key of (known[ADDED] ?? []).map(keyOf)) {
    const entry = await readEntry(query, key)
    if (entry !== undefined) added.push(toAdded(key, entry))
  }
  return { [KEYS]: keys, [ADDED]: added }
}

/** Resolves to a sample, or to the entries of `known` that still exist, as they are now. An entry that expires counts as lost. */
export const readRedis = async (
  client: StoreClient,
  pod: string,
  known: StoredTables | undefined,
): Promise<Pick<StoredContent, 'tables' | 'counts'>> => {
  const query: Query = (...redis) => client.query({ redis })
  const tables = await readEntries(query, pod, known)
  return { tables, counts: { [KEYS]: await countKept(query) } }
}
