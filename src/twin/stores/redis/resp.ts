/** The wire of Redis, version 2 of its protocol. A letter of a string is a byte, both ways: values may be anything. */

export class RedisError extends Error {}

/** `+OK`, as against the string of that text. */
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
  // What a client wrote must not end the line.
  if (reply instanceof RedisError) return `-${reply.message.replaceAll(/[\r\n]/g, ' ')}\r\n`
  return `*${reply.length}\r\n${reply.map(encodeReply).join('')}`
}

export const encodeCommand = (words: readonly string[]): string => encodeReply(words)

/** Of a line, of the words of a command, and of the letters of a word; as many as Redis takes. */
const LONGEST_LINE = 64 * 1024
const MOST_WORDS = 1024 * 1024
const LONGEST_WORD = 512 * 1024 * 1024

/** A list of which some is still to come. */
interface OpenList {
  readonly items: Reply[]
  readonly size: number
}

/**
 * Reads values one after the other, and goes on where it stood when more has come; throws a RedisError for what is not
 * RESP.
 */
export class RespReader {
  /** What of the text has been read as whole values. */
  position = 0
  #text: string
  #at = 0
  /** What came while a long word was not whole; nobody looks at it before. */
  #pieces: string[] = []
  #held = 0
  readonly #lists: OpenList[] = []
  /** Letters of the word that is being read. */
  #word: number | undefined
  /** There is no going on after one. */
  #mistake: unknown

  constructor(text = '') {
    this.#text = text
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk.toString('latin1'))
    this.#held += chunk.length
    if (this.#word !== undefined && this.#text.length - this.#at + this.#held < this.#word + 2) return
    this.#text = this.#text.slice(this.#at) + this.#pieces.join('')
    this.#at = 0
    this.position = 0
    this.#pieces = []
    this.#held = 0
  }

  /** The next value, or undefined where it is not whole yet. */
  next(): Reply | undefined {
    for (;;) {
      const value = this.#simple()
      if (value === undefined) return undefined
      const whole = this.#place(value)
      if (whole !== undefined) return whole
    }
  }

  /** The next command: a list of words, or the words of a line. */
  nextCommand(): readonly string[] | undefined {
    try {
      if (this.#mistake === undefined) return this.#command()
    } catch (error) {
      this.#mistake = error
    }
    throw this.#mistake
  }

  #command(): readonly string[] | undefined {
    if (this.#lists.length > 0 || this.#text[this.#at] === '*') return this.#list()
    const line = this.#line('inline request')
    if (line === undefined) return undefined
    this.position = this.#at
    return line.trim().split(/\s+/).filter(Boolean)
  }

  #list(): readonly string[] | undefined {
    for (;;) {
      const letter = this.#text[this.#at]
      const isWord = this.#lists.length > 0 && this.#word === undefined
      if (isWord && letter !== undefined && letter !== '$')
        throw new RedisError(`ERR Protocol error: expected '$', got '${letter}'`)
      const value = this.#simple()
      if (value === undefined) return undefined
      if (value === null) throw new RedisError('ERR Protocol error: invalid bulk length')
      if (isOpenList(value) && value.size > MOST_WORDS)
        throw new RedisError('ERR Protocol error: invalid multibulk length')
      const whole = this.#place(value)
      if (whole !== undefined) return whole as string[]
    }
  }

  /** Puts a value where it belongs; what is whole by that is given back. */
  #place(value: Reply | OpenList): Reply | undefined {
    let placed = value
    for (;;) {
      if (isOpenList(placed)) {
        if (placed.size > 0) {
          this.#lists.push(placed)
          return undefined
        }
        placed = placed.items
      }
      const list = this.#lists.at(-1)
      if (list === undefined) {
        this.position = this.#at
        return placed
      }
      list.items.push(placed)
      if (list.items.length < list.size) return undefined
      this.#lists.pop()
      placed = list.items
    }
  }

  #line(what: string): string | undefined {
    const end = this.#text.indexOf('\n', this.#at)
    if ((end < 0 ? this.#text.length : end) - this.#at > LONGEST_LINE)
      throw new RedisError(`ERR Protocol error: too big ${what}`)
    if (end < 0) return undefined
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' ? end - 1 : end)
    this.#at = end + 1
    return line
  }

  /** A value that is no list, or the beginning of a list. */
  #simple(): Reply | OpenList | undefined {
    if (this.#word !== undefined) return this.#bulk(this.#word)
    const line = this.#line('count string')
    if (line === undefined) return undefined
    const rest = line.slice(1)
    switch (line[0]) {
      case '+':
        return rest === 'OK' ? OK : new Status(rest)
      case '-':
        return new RedisError(rest)
      case ':':
        return toCount(rest, Number.MAX_SAFE_INTEGER, 'integer')
      case '$': {
        const length = toCount(rest, LONGEST_WORD, 'bulk length')
        return length < 0 ? null : this.#bulk(length)
      }
      case '*': {
        const size = toCount(rest, Number.MAX_SAFE_INTEGER, 'multibulk length')
        return size < 0 ? null : { items: [], size }
      }
      default:
        throw new RedisError(`ERR Protocol error: unexpected '${line[0] ?? ''}'`)
    }
  }

  #bulk(length: number): string | undefined {
    const end = this.#at + length
    this.#word = length
    if (end + 2 > this.#text.length) return undefined
    this.#word = undefined
    const value = this.#text.slice(this.#at, end)
    this.#at = end + 2
    return value
  }
}

const isOpenList = (value: Reply | OpenList): value is OpenList =>
  typeof value === 'object' && value !== null && 'items' in value

const toCount = (text: string, most: number, what: string): number => {
  const count = Number(text)
  if (text === '' || !Number.isInteger(count) || count > most)
    throw new RedisError(`ERR Protocol error: invalid ${what}`)
  return count
}
