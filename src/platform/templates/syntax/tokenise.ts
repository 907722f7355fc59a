/** Splits a template into tokens, as Jinja does with Ansible's settings: `trim_blocks`, no line statements. */
import { stripEnd } from '../python/characters.ts'
import { PythonError } from '../python/python-error.ts'
import { reprText } from '../python/repr.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spend } from '../work.ts'
import { syntaxError } from './syntax-error.ts'
import type { Token, TokenType } from './token.ts'
import {
  BLOCK_END,
  COMMENT_END,
  FLOAT,
  INTEGER,
  NAME,
  OPENING,
  OPERATOR,
  RAW_END,
  SPACE,
  STRING,
  VARIABLE_END,
  WORD,
} from './token-patterns.ts'

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' }

class Tokeniser {
  readonly #source: string
  readonly #tokens: Token[] = []
  #position = 0
  #line = 1

  constructor(source: string) {
    this.#source = source
  }

  run(): Token[] {
    try {
      while (this.#position < this.#source.length) this.#root()
      this.#add('eof', '')
    } catch (error) {
      if (!(error instanceof PythonError)) throw error
      this.#add('error', error.message)
    }
    return this.#tokens
  }

  /** Jinja accepts an unclosed comment or raw text at the end of the template. */
  get #isAtEnd(): boolean {
    return this.#position === this.#source.length
  }

  #add(type: TokenType, value: string): void {
    spend(1)
    this.#tokens.push({ type, value, line: this.#line, start: this.#position })
  }

  #advance(length: number): void {
    const passed = this.#source.slice(this.#position, this.#position + length)
    for (let index = passed.indexOf('\n'); index >= 0; index = passed.indexOf('\n', index + 1))
      this.#line += 1
    this.#position += length
  }

  #find(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position
    return pattern.exec(this.#source)
  }

  #data(text: string): void {
    if (text !== '') this.#add('data', text)
  }

  /** Text up to the next tag, and the tag. */
  #root(): void {
    const opening = this.#find(OPENING)
    if (opening === null) {
      this.#data(this.#source.slice(this.#position))
      this.#advance(this.#source.length - this.#position)
      return
    }
    const tag = opening[0]
    const isRaw = opening[1] !== undefined
    const sign = isRaw ? opening[1] : tag.slice(2)
    const text = this.#source.slice(this.#position, opening.index)
    this.#data(sign === '-' ? stripEnd(text) : text)
    this.#advance(text.length)
    if (isRaw) this.#raw(tag)
    else if (tag.startsWith('{#')) this.#comment(tag)
    else this.#tag(tag)
  }

  #raw(tag: string): void {
    this.#advance(tag.length)
    if (this.#isAtEnd) return
    const end = this.#find(RAW_END)
    if (end === null) throw syntaxError('Missing end of raw directive')
    const text = this.#source.slice(this.#position, end.index)
    this.#data(end[1] === '-' ? stripEnd(text) : text)
    this.#advance(text.length + end[0].length)
  }

  #comment(tag: string): void {
    this.#advance(tag.length)
    if (this.#isAtEnd) return
    const end = this.#find(COMMENT_END)
    if (end === null) throw syntaxError('Missing end of comment tag')
    this.#advance(end.index + end[0].length - this.#position)
  }

  /** The tokens of an expression or a statement, up to the end of its tag. */
  #tag(tag: string): void {
    const isVariable = tag.startsWith('{{')
    this.#add(isVariable ? 'variable_begin' : 'block_begin', tag)
    this.#advance(tag.length)
    const brackets: string[] = []
    while (this.#position < this.#source.length) {
      const end = brackets.length > 0 ? null : this.#find(isVariable ? VARIABLE_END : BLOCK_END)
      if (end !== null) {
        this.#add(isVariable ? 'variable_end' : 'block_end', end[0])
        this.#advance(end[0].length)
        return
      }
      this.#expressionToken(brackets)
    }
  }

  #expressionToken(brackets: string[]): void {
    const space = this.#find(SPACE)
    if (space !== null) {
      this.#advance(space[0].length)
      return
    }
    const [type, match] = this.#match()
    if (match === null) throw this.#unexpected()
    if (type === 'operator') this.#balance(match[0], brackets)
    this.#add(type, match[0])
    this.#advance(match[0].length)
    const next = this.#source.codePointAt(this.#position)
    if (type === 'name' && next !== undefined && next > 127 && WORD.test(String.fromCodePoint(next)))
      throw new UnsupportedTemplate('non-ASCII names')
  }

  #match(): [TokenType, RegExpExecArray | null] {
    for (const [type, pattern] of [
      ['float', FLOAT],
      ['integer', INTEGER],
      ['name', NAME],
      ['string', STRING],
      ['operator', OPERATOR],
    ] as const) {
      const match = this.#find(pattern)
      if (match !== null) return [type, match]
    }
    return ['operator', null]
  }

  #unexpected(): PythonError {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#position)!)
    if (WORD.test(character)) throw new UnsupportedTemplate('non-ASCII names')
    return syntaxError(`unexpected char ${reprText(character)} at ${this.#position}`)
  }

  #balance(operator: string, brackets: string[]): void {
    const closing = CLOSING[operator]
    if (closing !== undefined) brackets.push(closing)
    else if (operator === '}' || operator === ')' || operator === ']') {
      const expected = brackets.pop()
      if (expected === undefined) throw syntaxError(`unexpected '${operator}'`)
      if (expected !== operator) throw syntaxError(`unexpected '${operator}', expected '${expected}'`)
    }
  }
}

/** Line breaks become `\n`, and one at the end is dropped. */
export const normaliseNewlines = (source: string): string => source.replace(/\r\n?/g, '\n').replace(/\n$/, '')

/** The source must have normal line breaks. */
export const tokenise = (source: string): Token[] => new Tokeniser(source).run()
