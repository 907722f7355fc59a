/** The memcached client of a twin. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClient, type StoreClientOptions, toCallFailure } from '#world/twin/ports'
import { ConnectionPool, type PooledConnection } from '../connection-pool.ts'
import { openSocket } from '../open-socket.ts'
import { processHost } from '../process-host.ts'

/** Returns the length of a complete response in characters, or undefined if it is incomplete. */
type Measure = (text: string) => number | undefined

const measureLine: Measure = (text) => {
  const end = text.indexOf('\r\n')
  return end < 0 ? undefined : end + 2
}

/** Measures any number of `VALUE key flags length` lines with their data, followed by `END`. */
const measureValues: Measure = (text) => {
  let at = 0
  for (;;) {
    const end = text.indexOf('\r\n', at)
    if (end < 0) return undefined
    const line = text.slice(at, end)
    if (!line.startsWith('VALUE ')) return end + 2
    at = end + 2 + Number(line.split(' ')[3]) + 2
  }
}

class MemcachedConnection implements PooledConnection {
  closed = false
  readonly #socket: Socket
  #text = ''
  #waiting: { measure: Measure; resolve(text: string): void; reject(failure: CallFailure): void } | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1')
      const length = this.#waiting?.measure(this.#text)
      if (length === undefined) return
      this.#waiting?.resolve(this.#text.slice(0, length))
      this.#text = this.#text.slice(length)
      this.#waiting = undefined
    })
    socket.once('error', (error) => this.#end(toCallFailure(error)))
    socket.once('close', () => this.#end(new CallFailure('reset', 'memcached closed the connection')))
  }

  send(command: string, measure: Measure): Promise<string> {
    if (this.closed) return Promise.reject(new CallFailure('reset', 'the connection to memcached is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting = { measure, resolve, reject }
      this.#socket.write(command, 'latin1')
    })
  }

  close(): void {
    this.closed = true
    this.#socket.destroy()
  }

  #end(failure: CallFailure): void {
    this.closed = true
    this.#waiting?.reject(failure)
    this.#waiting = undefined
  }
}

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
  if (name === 'get') {
    const found = readValues(await connection.send(`get ${toKey(key)}\r\n`, measureValues))
    return found[String(key)] ?? null
  }
  if (name === 'gets') {
    const keys = (key as readonly unknown[]).map(toKey)
    return keys.length === 0
      ? {}
      : readValues(await connection.send(`get ${keys.join(' ')}\r\n`, measureValues))
  }
  if (STORAGE_COMMANDS.includes(String(name))) {
    const { text, flags } = encode(value)
    const head = `${name} ${toKey(key)} ${flags} ${Number(seconds ?? 0)} ${text.length}`
    return checkAnswer(await connection.send(`${head}\r\n${text}\r\n`, measureLine)) === 'STORED'
  }
  if (name === 'delete')
    return checkAnswer(await connection.send(`delete ${toKey(key)}\r\n`, measureLine)) === 'DELETED'
  if (name === 'incr' || name === 'decr') {
    const answer = checkAnswer(
      await connection.send(`${name} ${toKey(key)} ${Number(value ?? 1)}\r\n`, measureLine),
    )
    return answer === 'NOT_FOUND' ? null : Number(answer)
  }
  throw new CallFailure('answer', `the memcached client does not support the command ${String(name)}`)
}

/**
 * `get` returns the value or null; `gets` returns a map of the existing values; `set`, `add`, `replace` and
 * `delete` return whether they took effect; `incr` and `decr` return the new number, or null without an item.
 */
export const createMemcachedClient = (options: StoreClientOptions): StoreClient => {
  const pool = new ConnectionPool(
    options,
    processHost.time,
    async () => new MemcachedConnection(await openSocket(options)),
  )
  return {
    query: async ({ memcached }, timeoutMs) => {
      if (memcached === undefined)
        throw new CallFailure('answer', 'the memcached client supports only memcached commands')
      return pool.use((connection) => run(connection, memcached), timeoutMs)
    },
    close: () => pool.close(),
  }
}
