/** The memcached client of a twin. */
import type { Socket } from 'node:net'
import { CallFailure, type StoreClient, type StoreClientOptions, toCallFailure } from '../../ports/index.ts'
import { ConnectionPool, openSocket, type PooledConnection } from '../connection-pool.ts'

/** Says whether an answer is whole: how many letters it has, or undefined. */
type Measure = (text: string) => number | undefined

const oneLine: Measure = (text) => {
  const end = text.indexOf('\r\n')
  return end < 0 ? undefined : end + 2
}

/** `VALUE key flags length` with its data, as often as need be, and `END`. */
const values: Measure = (text) => {
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

  ask(question: string, measure: Measure): Promise<string> {
    if (this.closed) return Promise.reject(new CallFailure('reset', 'the connection to memcached is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting = { measure, resolve, reject }
      this.#socket.write(question, 'latin1')
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

/** What is no string is stored as JSON and comes back as it was. */
const JSON_FLAG = 1

const encode = (value: unknown): { readonly text: string; readonly flags: number } => {
  const isText = typeof value === 'string'
  const text = Buffer.from(isText ? value : JSON.stringify(value ?? null), 'utf8').toString('latin1')
  return { text, flags: isText ? 0 : JSON_FLAG }
}

const decode = (text: string, flags: number): unknown => {
  const whole = Buffer.from(text, 'latin1').toString('utf8')
  return flags === JSON_FLAG ? JSON.parse(whole) : whole
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a key with these would be another command
  if (text === '' || text.length > 250 || /[\x00-\x20\x7f]/.test(text))
    throw new CallFailure('answer', `CLIENT_ERROR bad key ${JSON.stringify(text.slice(0, 80))}`)
  return text
}

const STORES = ['set', 'add', 'replace']

const run = async (
  connection: MemcachedConnection,
  [name, key, value, seconds]: readonly unknown[],
): Promise<unknown> => {
  if (name === 'get') {
    const found = readValues(await connection.ask(`get ${toKey(key)}\r\n`, values))
    return found[String(key)] ?? null
  }
  if (name === 'gets') {
    const keys = (key as readonly unknown[]).map(toKey)
    return keys.length === 0 ? {} : readValues(await connection.ask(`get ${keys.join(' ')}\r\n`, values))
  }
  if (STORES.includes(String(name))) {
    const { text, flags } = encode(value)
    const head = `${name} ${toKey(key)} ${flags} ${Number(seconds ?? 0)} ${text.length}`
    return checkAnswer(await connection.ask(`${head}\r\n${text}\r\n`, oneLine)) === 'STORED'
  }
  if (name === 'delete')
    return checkAnswer(await connection.ask(`delete ${toKey(key)}\r\n`, oneLine)) === 'DELETED'
  if (name === 'incr' || name === 'decr') {
    const answer = checkAnswer(
      await connection.ask(`${name} ${toKey(key)} ${Number(value ?? 1)}\r\n`, oneLine),
    )
    return answer === 'NOT_FOUND' ? null : Number(answer)
  }
  throw new CallFailure('answer', `memcached knows no command ${String(name)}`)
}

/** `get` gives the value or null, `gets` a map of those that are there, `set`, `add`, `replace` and `delete` whether it was done. */
export const createMemcachedClient = (options: StoreClientOptions): StoreClient => {
  const pool = new ConnectionPool(
    options,
    async () => new MemcachedConnection(await openSocket(options.address)),
  )
  return {
    query: async ({ memcached }, timeoutMs) => {
      if (memcached === undefined) throw new CallFailure('answer', 'memcached gets words only')
      return pool.use((connection) => run(connection, memcached), timeoutMs)
    },
    close: () => pool.close(),
  }
}
