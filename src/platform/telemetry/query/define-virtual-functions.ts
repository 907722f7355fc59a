/** Replaces the functions of SQLite that depend on the machine: the current time is that of a clock, random numbers are repeatable. */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { type Clock, createRandom } from '#kit'

/** Functions of a time and modifiers, by the position of the time among their arguments. */
const TIME_FUNCTIONS: Readonly<Record<string, number>> = {
  date: 0,
  time: 0,
  datetime: 0,
  julianday: 0,
  unixepoch: 0,
  strftime: 1,
}
/** Keywords that are functions without arguments. */
const TIME_KEYWORDS: Readonly<Record<string, string>> = {
  current_date: 'date',
  current_time: 'time',
  current_timestamp: 'datetime',
}
/** These modifiers can stand alone, for the current time. */
const SUBSECOND = /^subsec(ond)?$/i
const MAX_RANDOM_BYTES = 1_000_000
const WORD = 2 ** 32

/** Calls the original functions on a separate database, where they are not replaced. */
const createOriginals = () => {
  const database = new DatabaseSync(':memory:')
  const statements = new Map<string, StatementSync>()
  return {
    call(name: string, values: readonly SQLInputValue[]): SQLOutputValue {
      const sql = `SELECT ${name}(${values.map(() => '?').join(', ')}) AS result`
      const statement = statements.get(sql) ?? database.prepare(sql)
      // Integers stay integers.
      statement.setReadBigInts(true)
      statements.set(sql, statement)
      return statement.get(...values)!.result!
    },
    close: () => database.close(),
  }
}

export interface VirtualFunctions {
  /** Resets the random numbers. Must be called before each query. */
  restart(): void
  close(): void
}

export const defineVirtualFunctions = (database: DatabaseSync, clock: Clock): VirtualFunctions => {
  const originals = createOriginals()
  let random = createRandom('sql')
  const now = (): string => new Date(clock.now()).toISOString().replace('T', ' ').slice(0, -1)
  const isNow = (value: SQLInputValue): boolean => typeof value === 'string' && value.toLowerCase() === 'now'

  const callAt = (name: string, position: number, values: readonly SQLInputValue[]): SQLOutputValue => {
    const time = values[position]
    const isMissing = time === undefined || (typeof time === 'string' && SUBSECOND.test(time))
    const head = values.slice(0, position)
    const rest = isMissing ? values.slice(position) : values.slice(position + 1)
    return originals.call(name, [...head, isMissing || isNow(time) ? now() : time, ...rest])
  }
  const define = (name: string, call: (...values: SQLInputValue[]) => SQLInputValue): void =>
    database.function(name, { varargs: true, useBigIntArguments: true }, call as never)

  for (const [name, position] of Object.entries(TIME_FUNCTIONS))
    define(name, (...values) => callAt(name, position, values))
  define('timediff', (...values) =>
    originals.call(
      'timediff',
      values.map((value) => (isNow(value) ? now() : value)),
    ),
  )
  for (const [keyword, name] of Object.entries(TIME_KEYWORDS))
    database.function(keyword, () => originals.call(name, [now()]) as string)

  const word = (): number => Math.floor(random.next() * WORD)
  database.function('random', () => BigInt.asIntN(64, BigInt(word()) * BigInt(WORD) + BigInt(word())))
  database.function('randomblob', (length: SQLOutputValue) =>
    Uint8Array.from({ length: Math.min(MAX_RANDOM_BYTES, Math.max(1, Number(length))) }, () => word() & 0xff),
  )
  return {
    restart() {
      random = createRandom('sql')
    },
    close: originals.close,
  }
}
