/**
 * The Redis serialization protocol, version 2 (RESP2). Strings have one character per byte, because values
 * may be binary.
 */

export class RedisError extends Error {}

/** A status reply such as `+OK`, distinct from a bulk string of the same text. */
export class Status {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const OK = new Status('OK')

export type Reply = null | number | string | Status | RedisError | readonly Reply[]

export const encodeReply = (reply: Reply): string => {
  if (reply === null) return '$-1\r\n'
  if (typeof reply === 'string') return `$${reply.length}\r\n${reply}\r\n`
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (reply instanceof Status) return `+${reply.text}\r\n`
  // Text from a client must not end the line.
  if (reply instanceof RedisError) return `-${reply.message.replaceAll(/[\r\n]/g, ' ')}\r\n`
  return `*${reply.length}\r\n${reply.map(encodeReply).join('')}`
}

export const encodeCommand = (words: readonly string[]): string => encodeReply(words)

/** The limits of Redis. */
const MAX_LINE_CHARACTERS = 64 * 1024
const MAX_WORDS = 1024 * 1024
const MAX_WORD_CHARACTERS = 512 * 1024 * 1024

/** An incomplete list. */
interface OpenList {
  readonly items: Reply[]
  readonly size: number
}

/**
 * Parses values in order, and continues where it stopped when more input arrives. Throws a RedisError for
 * malformed input.
 */
export class RespReader {
  /** End of the last complete value in the text. */
  position = 0
  #text: string
  #at = 0
  /** Input received while a long word is incomplete; joined once enough has arrived. */
  #pieces: string[] = []
  #pendingCharacters = 0
  readonly #lists: OpenList[] = []
  /** Length of the word that is being read, in characters. */
  #wordLength: number | undefined
  /** The first error; parsing cannot continue after it. */
  #error: unknown

  constructor(text = '') {
    this.#text = text
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk.toString('latin1'))
    this.#pendingCharacters += chunk.length
    if (
      this.#wordLength !== undefined &&
      this.#text.length - this.#at + this.#pendingCharacters < this.#wordLength + 2
    )
      return
    this.#text = this.#text.slice(this.#at) + this.#pieces.join('')
    this.#at = 0
    this.position = 0
    this.#pieces = []
    this.#pendingCharacters = 0
  }

  /** Returns the next value, or undefined if it is incomplete. */
  next(): Reply | undefined {
    for (;;) {
      const value = this.#readSimple()
      if (value === undefined) return undefined
      const complete = this.#addValue(value)
      if (complete !== undefined) return complete
    }
  }

  /** Returns the next command: a list of words, or the words of an inline command. */
  nextCommand(): readonly string[] | undefined {
    try {
      if (this.#error === undefined) return this.#readCommand()
    } catch (error) {
      this.#error = error
    }
    throw this.#error
  }

  #readCommand(): readonly string[] | undefined {
    if (this.#lists.length > 0 || this.#text[this.#at] === '*') return this.#readList()
    const line = this.#readLine('inline request')
    if (line === undefined) return undefined
    this.position = this.#at
    return line.trim().split(/\s+/).filter(Boolean)
  }

  #readList(): readonly string[] | undefined {
    for (;;) {
      const character = this.#text[this.#at]
      const expectsWord = this.#lists.length > 0 && this.#wordLength === undefined
      if (expectsWord && character !== undefined && character !== '$')
        throw new RedisError(`ERR Protocol error: expected '$', got '${character}'`)
      const value = this.#readSimple()
      if (value === undefined) return undefined
      if (value === null) throw new RedisError('ERR Protocol error: invalid bulk length')
      if (isOpenList(value) && value.size > MAX_WORDS)
        throw new RedisError('ERR Protocol error: invalid multibulk length')
      const complete = this.#addValue(value)
      if (complete !== undefined) return complete as string[]
    }
  }

  /** Adds a value to the innermost open list; returns the outermost value once it is complete. */
  #addValue(value: Reply | OpenList): Reply | undefined {
    let current = value
    for (;;) {
      if (isOpenList(current)) {
        if (current.size > 0) {
          this.#lists.push(current)
          return undefined
        }
        current = current.items
      }
      const list = this.#lists.at(-1)
      if (list === undefined) {
        this.position = this.#at
        return current
      }
      list.items.push(current)
      if (list.items.length < list.size) return undefined
      this.#lists.pop()
      current = list.items
    }
  }

  #readLine(kind: string): string | undefined {
    const end = this.#text.indexOf('\n', this.#at)
    if ((end < 0 ? this.#text.length : end) - this.#at > MAX_LINE_CHARACTERS)
      throw new RedisError(`ERR Protocol error: too big ${kind}`)
    if (end < 0) return undefined
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' ? end - 1 : end)
    this.#at = end + 1
    return line
  }

  /** Reads a value that is not a list, or the header of a list. */
  #readSimple(): Reply | OpenList | undefined {
    if (this.#wordLength !== undefined) return this.#readBulk(this.#wordLength)
    const line = this.#readLine('count string')
    if (line === undefined) return undefined
    const rest = line.slice(1)
    switch (line[0]) {
      case '+':
        return rest === 'OK' ? OK : new Status(rest)
      case '-':
        return new RedisError(rest)
      case ':':
        return parseCount(rest, Number.MAX_SAFE_INTEGER, 'integer')
      case '$': {
        const length = parseCount(rest, MAX_WORD_CHARACTERS, 'bulk length')
        return length < 0 ? null : this.#readBulk(length)
      }
      case '*': {
        const size = parseCount(rest, Number.MAX_SAFE_INTEGER, 'multibulk length')
        return size < 0 ? null : { items: [], size }
      }
      default:
        throw new RedisError(`ERR Protocol error: unexpected '${line[0] ?? ''}'`)
    }
  }

  #readBulk(length: number): string | undefined {
    const end = this.#at + length
    this.#wordLength = length
    if (end + 2 > this.#text.length) return undefined
    this.#wordLength = undefined
    const value = this.#text.slice(this.#at, end)
    this.#at = end + 2
    return value
  }
}

const isOpenList = (value: Reply | OpenList): value is OpenList =>
  typeof value === 'object' && value !== null && 'items' in value

const parseCount = (text: string, maxCount: number, kind: string): number => {
  const count = Number(text)
  if (text === '' || !Number.isInteger(count) || count > maxCount)
    throw new RedisError(`ERR Protocol error: invalid ${kind}`)
  return count
}
