/** Parses Python literals as `ast.literal_eval` does. Ansible converts rendered text in this way. */
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spend } from '../work.ts'
import { decodeEscapes, EscapeError } from './decode-escapes.ts'
import { Dict } from './dict.ts'
import { Tuple, toFloat, toInt } from './value.ts'

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

const BLANK = /(?:[ \t\f]|\\\n)+/y
const BLANK_IN_BRACKETS = /(?:[ \t\f\n]|\\\n|#[^\n]*)+/y
const NUMBER =
  /(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:(?:\d(?:_?\d)*)?\.\d(?:_?\d)*|\d(?:_?\d)*\.?)(?:[eE][-+]?\d(?:_?\d)*)?)[jJ]?/y
const NAME = /[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*/uy
const STRING =
  /([rRuUbBfF]{0,2})(?:"""((?:[^\\]|\\[\s\S])*?)"""|'''((?:[^\\]|\\[\s\S])*?)'''|"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)')/y

/** Represents a set, which has no counterpart here. */
class SetLiteral {}

const isUnhashable = (key: unknown): boolean =>
  Array.isArray(key) ||
  key instanceof Dict ||
  key instanceof SetLiteral ||
  (key instanceof Tuple && key.items.some(isUnhashable))

class LiteralReader {
  readonly #text: string
  #position = 0
  #brackets = 0
  /** A literal without a counterpart here. It matters only if all of the text is a literal. */
  unsupported: string | undefined
  /** Python fails at a key that cannot be hashed, even if the rest is not a literal. */
  hasUnhashable = false

  constructor(text: string) {
    this.#text = text
  }

  /** Reads the whole text: one value, or several comma-separated ones. */
  read(): unknown {
    const first = this.#value()
    const value = this.#peek() === ',' ? this.#restOfTuple([first], '') : first
    if (!/^(?:[\s]|#[^\n]*)*$/.test(this.#text.slice(this.#position))) throw new NotLiteral()
    return value
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position
    const match = pattern.exec(this.#text)
    if (match !== null) this.#position = pattern.lastIndex
    return match
  }

  /** The next character that is not blank. Line breaks count as blanks only in brackets. */
  #peek(): string {
    spend(1)
    this.#match(this.#brackets > 0 ? BLANK_IN_BRACKETS : BLANK)
    return this.#text[this.#position] ?? ''
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#position += 1
    return true
  }

  #open(): void {
    this.#position += 1
    this.#brackets += 1
    checkDepth(this.#brackets)
  }

  #close(character: string): boolean {
    if (!this.#take(character)) return false
    this.#brackets -= 1
    return true
  }

  #value(): unknown {
    const next = this.#peek()
    if (next === '[') return this.#list()
    if (next === '{') return this.#dictOrSet()
    if (next === '(') return this.#parentheses()
    if (next === '-' || next === '+') return this.#signed(next)
    if (/[\d.]/.test(next)) return this.#number()
    return this.#string() ?? this.#name()
  }

  #list(): unknown[] {
    const items: unknown[] = []
    this.#open()
    while (!this.#close(']')) {
      items.push(this.#value())
      if (!this.#take(',') && this.#peek() !== ']') throw new NotLiteral()
    }
    return items
  }

  #restOfTuple(items: unknown[], end: string): Tuple {
    while (this.#take(',')) {
      const next = this.#peek()
      if (next === end || next === '' || next === '\n' || next === '#') break
      items.push(this.#value())
    }
    return new Tuple(items)
  }

  #parentheses(): unknown {
    this.#open()
    if (this.#close(')')) return new Tuple([])
    const first = this.#value()
    const value = this.#peek() === ',' ? this.#restOfTuple([first], ')') : first
    if (!this.#close(')')) throw new NotLiteral()
    return value
  }

  #dictOrSet(): unknown {
    const entries: [unknown, unknown][] = []
    let isSet: boolean | undefined
    this.#open()
    while (!this.#close('}')) {
      const key = this.#value()
      const isPair = this.#take(':')
      if (isPair === isSet) throw new NotLiteral()
      isSet = !isPair
      if (isPair) entries.push([key, this.#value()])
      if (isUnhashable(key)) this.hasUnhashable = true
      if (!this.#take(',') && this.#peek() !== '}') throw new NotLiteral()
    }
    if (isSet === true) this.unsupported = 'a set'
    if (isSet === true || this.hasUnhashable) return new SetLiteral()
    return Dict.of(entries)
  }

  #signed(sign: string): unknown {
    this.#position += 1
    const isParenthesised = this.#peek() === '('
    const isNumber = /[\d.]/.test(this.#peek())
    if (!isParenthesised && !isNumber) throw new NotLiteral()
    const value = isNumber ? this.#number() : this.#value()
    if (value === null) throw new NotLiteral()
    if (isParenthesised) this.unsupported = 'a sign before parentheses in a literal'
    if (sign === '+' || isParenthesised) return value
    if (typeof value === 'bigint') return toInt(-value)
    return typeof value === 'number' && Number.isInteger(value)
      ? 0 - value
      : toFloat(-(typeof value === 'number' ? value : (value as { value: number }).value))
  }

  #number(): unknown {
    if (this.#text.startsWith('...', this.#position)) {
      this.unsupported = 'the literal ...'
      this.#position += 3
      return null
    }
    const match = this.#match(NUMBER)
    if (match === null || /[\w\u0080-\uffff]/.test(this.#text[this.#position] ?? '')) throw new NotLiteral()
    const text = match[0].replaceAll('_', '')
    if (/[jJ]$/.test(text)) this.unsupported = 'complex numbers'
    if (/^0[xXoObB]/.test(text)) return toInt(BigInt(text.replace(/[jJ]$/, '')))
    if (/[.eE]/.test(text)) return toFloat(Number(text.replace(/[jJ]$/, '')))
    if (/^0+[1-9]/.test(text) || text.length > 4300) throw new NotLiteral()
    return toInt(BigInt(text.replace(/[jJ]$/, '')))
  }

  /** Adjacent strings are one string. */
  #string(): string | undefined {
    let value: string | undefined
    for (;;) {
      this.#peek()
      const match = this.#match(STRING)
      if (match === null) return value
      value = (value ?? '') + this.#decode(match)
    }
  }

  #decode([, prefix, ...contents]: RegExpExecArray): string {
    const flags = prefix!.toLowerCase()
    if (!['', 'r', 'u', 'b', 'br', 'rb'].includes(flags)) throw new NotLiteral()
    if (flags.includes('b')) this.unsupported = 'bytes'
    const content = contents.find((part) => part !== undefined)!
    if (flags.includes('r')) return content
    try {
      return decodeEscapes(content)
    } catch (error) {
      if (error instanceof EscapeError) throw new NotLiteral()
      if (error instanceof UnsupportedTemplate) this.unsupported = error.feature
      return content
    }
  }

  #name(): unknown {
    const name = this.#match(NAME)?.[0]
    if (name === undefined) throw new NotLiteral()
    // Python reads compatibility characters in names as the plain letters.
    const normal = name.normalize('NFKC')
    if (NAMES.has(normal)) return NAMES.get(normal)
    if (normal !== 'set' || !this.#take('(') || !this.#take(')')) throw new NotLiteral()
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
