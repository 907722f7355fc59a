/** The memcached client of a twin, over any kind of connection. */
import { CallFailure, type StoreClient, type StoreClientOptions } from '#world/twin/ports'
import { ConnectionPool, type PooledConnection } from '../connection-pool.ts'
import type { StoreHost } from '../store-host.ts'

/** A command of the text protocol, with one character per byte. */
export interface TextCommand {
  readonly line: string
  /** The block of data that follows the line. */
  readonly data?: string
  /** Whether the answer is a list of values, or a line. */
  readonly returnsValues: boolean
}

/** A connection to a memcached server, with one command at a time. */
export interface MemcachedConnection extends PooledConnection {
  /** Resolves with the answer, including its line end. Rejects with a CallFailure if the connection is lost. */
  send(command: TextCommand): Promise<string>
}

/** The messages for failures of a connection. */
export const CLOSED_BY_SERVER = 'memcached closed the connection'
export const CLOSED_BY_CLIENT = 'the connection to memcached is closed'

/** Marks values that are stored as JSON because they are not strings. */
const JSON_FLAG = 1

const encode = (value: unknown): { readonly text: string; readonly flags: number } => {
  const isText = typeof value === 'string'
  const text = Buffer.from(isText ? value : JSON.stringify(value ?? null), 'utf8').toString('latin1')
  return { text, flags: isText ? 0 : JSON_FLAG }
}

const decode = (text: string, flags: number): unknown => {
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  return flags === JSON_FLAG ? JSON.parse(decoded) : decoded
}

const checkAnswer = (answer: string): string => {
  const line = answer.trimEnd()
  if (/^(ERROR|CLIENT_ERROR|SERVER_ERROR)/.test(line)) throw new CallFailure('answer', line)
  return line
}

const readValues = (answer: string): Record<string, unknown> => {
  const found: Record<string, unknown> = {}
  for (let at = 0; ; ) {
    const end = answer.indexOf('\r\n', at)
    const [word, key, flags, length] = answer.slice(at, end).split(' ')
    if (word !== 'VALUE') {
      checkAnswer(answer.slice(at))
      return found
    }
    const data = answer.slice(end + 2, end + 2 + Number(length))
    found[key!] = decode(data, Number(flags))
    at = end + 2 + Number(length) + 2
  }
}

const toKey = (key: unknown): string => {
  const text = String(key)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: such a key could contain another command
  if (text === '' || text.length > 250 || /[\x00-\x20\x7f]/.test(text))
    throw new CallFailure('answer', `CLIENT_ERROR bad key ${JSON.stringify(text.slice(0, 80))}`)
  return text
}

const STORAGE_COMMANDS = ['set', 'add', 'replace']

const run = async (
  connection: MemcachedConnection,
  [name, key, value, seconds]: readonly unknown[],
): Promise<unknown> => {
  const sendLine = async (line: string, data?: string): Promise<string> => {
    const command = { line, returnsValues: false, ...(data === undefined ? {} : { data }) }
    return checkAnswer(await connection.send(command))
  }
  const getValues = async (keys: readonly string[]): Promise<Record<string, unknown>> =>
    readValues(await connection.send({ line: `get ${keys.join(' ')}`, returnsValues: true }))
  if (name === 'get') return (await getValues([toKey(key)]))[String(key)] ?? null
  if (name === 'gets') {
    const keys = (key as readonly unknown[]).map(toKey)
    return keys.length === 0 ? {} : getValues(keys)
  }
  if (STORAGE_COMMANDS.includes(String(name))) {
    const { text, flags } = encode(value)
    const line = `${name} ${toKey(key)} ${flags} ${Number(seconds ?? 0)} ${text.length}`
    return (await sendLine(line, text)) === 'STORED'
  }
  if (name === 'delete') return (await sendLine(`delete ${toKey(key)}`)) === 'DELETED'
  if (name === 'incr' || name === 'decr') {
    const answer = await sendLine(`${name} ${toKey(key)} ${Number(value ?? 1)}`)
    return answer === 'NOT_FOUND' ? null : Number(answer)
  }
  throw new CallFailure('answer', `the memcached client does not support the command ${String(name)}`)
}

/**
 * `get` returns the value or null; `gets` returns a map of the existing values; `set`, `add`, `replace` and
 * `delete` return whether they took effect; `incr` and `decr` return the new number, or null without an item.
 */
export const createClientOver = (
  options: StoreClientOptions,
  { time }: Pick<StoreHost, 'time'>,
  open: () => Promise<MemcachedConnection>,
): StoreClient => {
  const pool = new ConnectionPool(options, time, open)
  return {
    query: async ({ memcached }, timeoutMs) => {
      if (memcached === undefined)
        throw new CallFailure('answer', 'the memcached client supports only memcached commands')
      return pool.use((connection) => run(connection, memcached), timeoutMs)
    },
    close: () => pool.close(),
  }
}
