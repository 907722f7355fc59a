/** What a command of Redis is: a name, what may be done with it, and what it does. */
import type { Keyspace } from '../keyspace.ts'
import { RedisError, type Reply } from '../resp.ts'

export interface Command {
  /** Words with the name; at least as many where negative. */
  readonly arity: number
  /** Changes something, and is kept in the file. */
  readonly write?: boolean
  /** Refused where the memory is full. */
  readonly grows?: boolean
  run(keys: Keyspace, words: readonly string[]): Reply
  /** Instead of the words as they came: what must not depend on when it is read. */
  toKeep?(words: readonly string[]): readonly string[]
}

export type Commands = Readonly<Record<string, Command>>

export const toInteger = (text: string | undefined): number => {
  const number = Number(text)
  if (text === undefined || text.trim() === '' || !Number.isSafeInteger(number))
    throw new RedisError('ERR value is not an integer or out of range')
  return number
}

export const toFloat = (text: string | undefined): number => {
  const lower = text?.toLowerCase().replace(/^\+/, '')
  if (lower === 'inf') return Number.POSITIVE_INFINITY
  if (lower === '-inf') return Number.NEGATIVE_INFINITY
  const number = Number(text)
  if (text === undefined || text.trim() === '' || Number.isNaN(number))
    throw new RedisError('ERR value is not a valid float')
  return number
}

export const syntaxError = (): RedisError => new RedisError('ERR syntax error')

/** From and to, both included, negative from the end; as of slice. */
export const toSlice = (
  first: string | undefined,
  last: string | undefined,
  size: number,
): [number, number] => {
  const from = toInteger(first)
  const to = toInteger(last)
  return [from < 0 ? Math.max(0, size + from) : from, (to < 0 ? size + to : to) + 1]
}
