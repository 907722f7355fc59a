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
  if (reply instanceof RedisError) return `-${reply.message}\r\n`
  return `*${reply.length}\r\n${reply.map(encodeReply).join('')}`
}

export const encodeCommand = (words: readonly string[]): string => encodeReply(words)

class Incomplete extends Error {}

const INCOMPLETE = new Incomplete()

/** Reads values one after the other; throws a RedisError for what is not RESP. */
export class RespReader {
  /** What of the text has been read as whole values. */
  position = 0
  #text: string
  #at = 0

  constructor(text = '') {
    this.#text = text
  }

  push(chunk: Buffer): void {
    this.#text = this.#text.slice(this.position) + chunk.toString('latin1')
    this.position = 0
  }

  /** The next value, or undefined where it is not whole yet. */
  next(): Reply | undefined {
    if (this.position >= this.#text.length) return undefined
    this.#at = this.position
    return this.#whole(() => this.#value())
  }

  /** The next command: a list of words, or the words of a line. */
  nextCommand(): readonly string[] | undefined {
    if (this.position >= this.#text.length) return undefined
    this.#at = this.position
    if (this.#text[this.position] !== '*')
      return this.#whole(() => this.#line().trim().split(/\s+/).filter(Boolean))
    return this.#whole(() => {
      const words = this.#value()
      if (!Array.isArray(words) || words.some((word) => typeof word !== 'string'))
        throw new RedisError('ERR Protocol error: expected a list of strings')
      return words as string[]
    })
  }

  #whole<T>(read: () => T): T | undefined {
    try {
      const value = read()
      this.position = this.#at
      return value
    } catch (error) {
      if (error === INCOMPLETE) return undefined
      throw error
    }
  }

  #line(): string {
    const end = this.#text.indexOf('\n', this.#at)
    if (end < 0) throw INCOMPLETE
    const line = this.#text.slice(this.#at, this.#text[end - 1] === '\r' ? end - 1 : end)
    this.#at = end + 1
    return line
  }

  #count(text: string): number {
    const count = Number(text)
    if (!Number.isInteger(count) || count > 512 * 1024 * 1024)
      throw new RedisError('ERR Protocol error: invalid length')
    return count
  }

  #value(): Reply {
    const line = this.#line()
    const rest = line.slice(1)
    switch (line[0]) {
      case '+':
        return rest === 'OK' ? OK : new Status(rest)
      case '-':
        return new RedisError(rest)
      case ':':
        return this.#count(rest)
      case '$':
        return this.#bulk(this.#count(rest))
      case '*': {
        const count = this.#count(rest)
        return count < 0 ? null : Array.from({ length: count }, () => this.#value())
      }
      default:
        throw new RedisError(`ERR Protocol error: unexpected '${line[0] ?? ''}'`)
    }
  }

  #bulk(length: number): string | null {
    if (length < 0) return null
    const end = this.#at + length
    if (end + 2 > this.#text.length) throw INCOMPLETE
    const value = this.#text.slice(this.#at, end)
    this.#at = end + 2
    return value
  }
}
