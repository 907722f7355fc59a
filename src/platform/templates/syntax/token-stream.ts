/** The tokens of a template with a position, and Jinja's names of tokens in messages. */
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth } from '../work.ts'
import type { Expression } from './node.ts'
import { syntaxError } from './syntax-error.ts'
import type { Token, TokenType } from './token.ts'

const DESCRIPTIONS: Readonly<Partial<Record<TokenType, string>>> = {
  block_begin: 'begin of statement block',
  block_end: 'end of statement block',
  variable_begin: 'begin of print statement',
  variable_end: 'end of print statement',
  data: 'template data / text',
  eof: 'end of template',
}

const describe = ({ type, value }: Token): string =>
  type === 'name' || type === 'operator' ? value : (DESCRIPTIONS[type] ?? type)

export class TokenStream {
  readonly #tokens: readonly Token[]
  #index = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
    this.#at(0)
  }

  #at(index: number): Token {
    const token = this.#tokens[Math.min(index, this.#tokens.length - 1)]!
    if (token.type === 'error') throw syntaxError(token.value)
    return token
  }

  get current(): Token {
    return this.#tokens[this.#index]!
  }

  get following(): Token {
    return this.#at(this.#index + 1)
  }

  next(): Token {
    const token = this.current
    if (token.type === 'eof') return token
    this.#index += 1
    this.#at(this.#index)
    return token
  }

  is(type: TokenType, value?: string): boolean {
    return this.current.type === type && (value === undefined || this.current.value === value)
  }

  skip(type: TokenType, value?: string): boolean {
    if (!this.is(type, value)) return false
    this.next()
    return true
  }

  expect(type: TokenType, value?: string): Token {
    if (this.is(type, value)) return this.next()
    const wanted = value ?? DESCRIPTIONS[type] ?? type
    if (this.current.type === 'eof') throw syntaxError(`unexpected end of template, expected '${wanted}'.`)
    throw syntaxError(`expected token '${wanted}', got '${describe(this.current)}'`)
  }

  describeCurrent(): string {
    return describe(this.current)
  }

  /** Bounds the recursion of the parser. */
  nested<T>(parse: () => T): T {
    this.#depth += 1
    checkDepth(this.#depth)
    const result = parse()
    this.#depth -= 1
    return result
  }

  unsupported(feature: string): never {
    throw new UnsupportedTemplate(feature)
  }
}

/** Parses an expression; passed to the parsers of parts that contain expressions. */
export type ExpressionParser = (stream: TokenStream) => Expression
