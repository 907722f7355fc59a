/** Parses Python literals as `ast.literal_eval` does. Ansible converts rendered text in this way. */
import { UnsupportedTemplate } from '../template-error.ts'
import { Dict } from './dict.ts'
import { LiteralScanner } from './literal-scanner.ts'
import { NUMBER, toNegative, toNumber } from './number-literal.ts'
import { isUnhashable, SetLiteral } from './set-literal.ts'
import { decodeStringLiteral, STRING } from './string-literal.ts'
import { Tuple } from './value.ts'

/** The text is not a literal: Python would raise a SyntaxError or a ValueError. */
class NotLiteral extends Error {}

const NAMES = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
  // The names of JSON.
  ['true', true],
  ['false', false],
  ['null', null],
])

const NAME = /[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*/uy

class LiteralReader {
  readonly #scanner: LiteralScanner
  /** A literal without a counterpart here. It matters only if all of the text is a literal. */
  unsupported: string | undefined
  /** Python fails at a key that cannot be hashed, even if the rest is not a literal. */
  hasUnhashable = false

  constructor(text: string) {
    this.#scanner = new LiteralScanner(text)
  }

  /** Reads the whole text: one value, or several comma-separated ones. */
  read(): unknown {
    const first = this.#value()
    const value = this.#scanner.peek() === ',' ? this.#restOfTuple([first], '') : first
    if (!/^(?:[\s]|#[^\n]*)*$/.test(this.#scanner.text.slice(this.#scanner.position))) throw new NotLiteral()
    return value
  }

  #value(): unknown {
    const next = this.#scanner.peek()
    if (next === '[') return this.#list()
    if (next === '{') return this.#dictOrSet()
    if (next === '(') return this.#parentheses()
    if (next === '-' || next === '+') return this.#signed(next)
    if (/[\d.]/.test(next)) return this.#number()
    return this.#string() ?? this.#name()
  }

  #list(): unknown[] {
    const items: unknown[] = []
    this.#scanner.open()
    while (!this.#scanner.close(']')) {
      items.push(this.#value())
      if (!this.#scanner.take(',') && this.#scanner.peek() !== ']') throw new NotLiteral()
    }
    return items
  }

  #restOfTuple(items: unknown[], end: string): Tuple {
    while (this.#scanner.take(',')) {
      const next = this.#scanner.peek()
      if (next === end || next === '' || next === '\n' || next === '#') break
      items.push(this.#value())
    }
    return new Tuple(items)
  }

  #parentheses(): unknown {
    this.#scanner.open()
    if (this.#scanner.close(')')) return new Tuple([])
    const first = this.#value()
    const value = this.#scanner.peek() === ',' ? this.#restOfTuple([first], ')') : first
    if (!this.#scanner.close(')')) throw new NotLiteral()
    return value
  }

  #dictOrSet(): unknown {
    const entries: [unknown, unknown][] = []
    let isSet: boolean | undefined
    this.#scanner.open()
    while (!this.#scanner.close('}')) {
      const key = this.#value()
      const isPair = this.#scanner.take(':')
      if (isPair === isSet) throw new NotLiteral()
      isSet = !isPair
      if (isPair) entries.push([key, this.#value()])
      if (isUnhashable(key)) this.hasUnhashable = true
      if (!this.#scanner.take(',') && this.#scanner.peek() !== '}') throw new NotLiteral()
    }
    if (isSet === true) this.unsupported = 'a set'
    if (isSet === true || this.hasUnhashable) return new SetLiteral()
    return Dict.of(entries)
  }

  #signed(sign: string): unknown {
    this.#scanner.position += 1
    const isParenthesised = this.#scanner.peek() === '('
    const isNumber = /[\d.]/.test(this.#scanner.peek())
    if (!isParenthesised && !isNumber) throw new NotLiteral()
    const value = isNumber ? this.#number() : this.#value()
    if (value === null) throw new NotLiteral()
    if (isParenthesised) this.unsupported = 'a sign before parentheses in a literal'
    if (sign === '+' || isParenthesised) return value
    return toNegative(value)
  }

  #number(): unknown {
    if (this.#scanner.text.startsWith('...', this.#scanner.position)) {
      this.unsupported = 'the literal ...'
      this.#scanner.position += 3
      return null
    }
    const match = this.#scanner.match(NUMBER)
    if (match === null || /[\w\u0080-\uffff]/.test(this.#scanner.text[this.#scanner.position] ?? ''))
      throw new NotLiteral()
    const text = match[0].replaceAll('_', '')
    if (/[jJ]$/.test(text)) this.unsupported = 'complex numbers'
    const value = toNumber(text)
    if (value === undefined) throw new NotLiteral()
    return value
  }

  /** Adjacent strings are one string. */
  #string(): string | undefined {
    let value: string | undefined
    for (;;) {
      this.#scanner.peek()
      const match = this.#scanner.match(STRING)
      if (match === null) return value
      const decoded = decodeStringLiteral(match)
      if (decoded === undefined) throw new NotLiteral()
      this.unsupported = decoded.unsupported ?? this.unsupported
      value = (value ?? '') + decoded.text
    }
  }

  #name(): unknown {
    const name = this.#scanner.match(NAME)?.[0]
    if (name === undefined) throw new NotLiteral()
    // Python reads compatibility characters in names as the plain letters.
    const normal = name.normalize('NFKC')
    if (NAMES.has(normal)) return NAMES.get(normal)
    if (normal !== 'set' || !this.#scanner.take('(') || !this.#scanner.take(')')) throw new NotLiteral()
    this.unsupported = 'a set'
    return new SetLiteral()
  }
}

/** Returns undefined if the text is not a literal. */
export const parseLiteral = (text: string): { value: unknown } | undefined => {
  if (text.includes('\0')) return undefined
  const reader = new LiteralReader(text.replace(/\r\n?/g, '\n'))
  try {
    const value = reader.read()
    if (reader.hasUnhashable) throw new UnsupportedTemplate('a list as a key')
    if (reader.unsupported !== undefined) throw new UnsupportedTemplate(reader.unsupported)
    return { value }
  } catch (error) {
    if (!(error instanceof NotLiteral)) throw error
    if (reader.hasUnhashable) throw new UnsupportedTemplate('a list as a key')
    return undefined
  }
}
