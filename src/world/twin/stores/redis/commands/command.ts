/** The interface of a Redis command, and the parsers of its arguments. */
import type { Keyspace } from '../keyspace.ts'
import { RedisError, type Reply } from '../resp.ts'

export interface Command {
  /** Number of words including the name; a negative number is a minimum. */
  readonly arity: number
  /** Whether it changes data and is written to the append-only file. */
  readonly isWrite?: boolean
  /** Whether it is rejected when the memory is full. */
  readonly needsMemory?: boolean
  run(keys: Keyspace, words: readonly string[]): Reply
  /** Converts the words for the append-only file, so that a replay does not depend on the time. */
  toLogged?(words: readonly string[], now: number): readonly string[]
}

export type Commands = Readonly<Record<string, Command>>

export const parseInteger = (text: string | undefined): number => {
  const number = Number(text)
  if (text === undefined || text.trim() === '' || !Number.isSafeInteger(number))
    throw new RedisError('ERR value is not an integer or out of range')
  return number
}

export const parseNumber = (text: string | undefined): number => {
  const lower = text?.toLowerCase().replace(/^\+/, '')
  if (lower === 'inf') return Number.POSITIVE_INFINITY
  if (lower === '-inf') return Number.NEGATIVE_INFINITY
  const number = Number(text)
  if (text === undefined || text.trim() === '' || Number.isNaN(number))
    throw new RedisError('ERR value is not a valid float')
  return number
}

export const syntaxError = (): RedisError => new RedisError('ERR syntax error')

/** Converts an inclusive range to the arguments of `slice`. Negative numbers count from the end. */
export const toSlice = (
  first: string | undefined,
  last: string | undefined,
  size: number,
): [number, number] => {
  const from = parseInteger(first)
  const to = parseInteger(last)
  return [from < 0 ? Math.max(0, size + from) : from, (to < 0 ? size + to : to) + 1]
}
