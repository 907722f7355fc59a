/** Parses CEL source to a syntax tree. */
import { ExpressionSyntaxError, nextToken, type Token } from './tokenise.ts'

export type Node =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Node, Node])[] }
  | { readonly kind: 'member'; readonly object: Node; readonly key: string }
  | { readonly kind: 'index'; readonly object: Node; readonly key: Node }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'choice'; readonly when: Node; readonly yes: Node; readonly no: Node }
  /** `method` if it was written as `receiver.name(...)`; the receiver is the first argument. */
  | {
      readonly kind: 'call'
      readonly name: string
      readonly arguments: readonly Node[]
      readonly method: boolean
      readonly at: number
    }

/** Precedence levels in ascending order; all operators are left-associative. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
]
const MAX_DEPTH = 200
/** Operators or members in a row: each one is a level of the tree and of the call stack. */
const MAX_CHAIN_LENGTH = 1000
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null }

class Reader {
  readonly source: string
  token: Token
  depth = 0

  constructor(source: string, from: number) {
    this.source = source
    this.token = nextToken(source, from)
  }

  is(sign: string): boolean {
    return this.token.value === sign && (this.token.kind === 'sign' || this.token.kind === 'name')
  }

  take(): Token {
    const token = this.token
    this.token = nextToken(this.source, token.end)
    return token
  }

  skip(sign: string): boolean {
    if (!this.is(sign)) return false
    this.take()
    return true
  }

  expect(sign: string): void {
    if (!this.skip(sign)) throw this.unexpected(`"${sign}"`)
  }

  unexpected(expected: string): ExpressionSyntaxError {
    const found = this.token.kind === 'end' ? 'the end' : `"${this.token.value}"`
    return new ExpressionSyntaxError(`expected ${expected}, found ${found}`, this.token.at)
  }
}

const readList = <T>(reader: Reader, close: string, readItem: () => T): T[] => {
  const items: T[] = []
  while (!reader.is(close)) {
    items.push(readItem())
    if (!reader.skip(',')) break
  }
  reader.expect(close)
  return items
}

const readName = (reader: Reader): Node => {
  const { value, at } = reader.take()
  if (Object.hasOwn(WORDS, value)) return { kind: 'literal', value: WORDS[value] }
  if (value in Object.prototype || value === 'in')
    throw new ExpressionSyntaxError(`"${value}" is not a valid name`, at)
  if (!reader.skip('(')) return { kind: 'name', name: value, at }
  const callArguments = readList(reader, ')', () => readChoice(reader))
  return { kind: 'call', name: value, arguments: callArguments, method: false, at }
}

const readPrimary = (reader: Reader): Node => {
  const { kind } = reader.token
  if (kind === 'number') return { kind: 'literal', value: Number(reader.take().value) }
  if (kind === 'text') return { kind: 'literal', value: reader.take().value }
  if (kind === 'name') return readName(reader)
  if (reader.skip('(')) {
    const inner = readChoice(reader)
    reader.expect(')')
    return inner
  }
  if (reader.skip('[')) return { kind: 'list', items: readList(reader, ']', () => readChoice(reader)) }
  if (reader.skip('{')) {
    const entries = readList(reader, '}', () => {
      const key = readChoice(reader)
      reader.expect(':')
      return [key, readChoice(reader)] as const
    })
    return { kind: 'map', entries }
  }
  throw reader.unexpected('a value')
}

const readMember = (reader: Reader, object: Node): Node => {
  if (reader.token.kind !== 'name') throw reader.unexpected('a name')
  const { value, at } = reader.take()
  if (!reader.skip('(')) return { kind: 'member', object, key: value }
  const callArguments = readList(reader, ')', () => readChoice(reader))
  return { kind: 'call', name: value, arguments: [object, ...callArguments], method: true, at }
}

const checkChain = (reader: Reader, length: number): void => {
  if (length > MAX_CHAIN_LENGTH)
    throw new ExpressionSyntaxError('the expression is too long', reader.token.at)
}

const readPostfix = (reader: Reader): Node => {
  let node = readPrimary(reader)
  for (let length = 0; ; length += 1) {
    checkChain(reader, length)
    if (reader.skip('.')) node = readMember(reader, node)
    else if (reader.skip('[')) {
      node = { kind: 'index', object: node, key: readChoice(reader) }
      reader.expect(']')
    } else return node
  }
}

const readUnary = (reader: Reader): Node => {
  if (!reader.is('!') && !reader.is('-')) return readPostfix(reader)
  const operator = reader.take().value
  return { kind: 'unary', operator, operand: nested(reader, () => readUnary(reader)) }
}

const readBinary = (reader: Reader, level: number): Node => {
  const operators = LEVELS[level]
  if (operators === undefined) return readUnary(reader)
  let left = readBinary(reader, level + 1)
  for (let length = 0; reader.token.kind !== 'text' && operators.includes(reader.token.value); length += 1) {
    checkChain(reader, length)
    const operator = reader.take().value
    left = { kind: 'binary', operator, left, right: readBinary(reader, level + 1) }
  }
  return left
}

const nested = (reader: Reader, read: () => Node): Node => {
  reader.depth += 1
  if (reader.depth > MAX_DEPTH)
    throw new ExpressionSyntaxError('the expression is nested too deeply', reader.token.at)
  const node = read()
  reader.depth -= 1
  return node
}

const readChoice = (reader: Reader): Node =>
  nested(reader, () => {
    const when = readBinary(reader, 0)
    if (!reader.skip('?')) return when
    const yes = readChoice(reader)
    reader.expect(':')
    return { kind: 'choice', when, yes, no: readChoice(reader) }
  })

/** Parses the whole source. Throws an ExpressionSyntaxError. */
export const parseExpression = (source: string): Node => {
  const reader = new Reader(source, 0)
  const node = readChoice(reader)
  if (reader.token.kind !== 'end') throw reader.unexpected('the end')
  return node
}

/** Parses an expression that ends with `}` inside longer text; `end` is the offset after it. */
export const parseEmbedded = (source: string, from: number): { node: Node; end: number } => {
  const reader = new Reader(source, from)
  const node = readChoice(reader)
  if (!reader.is('}')) throw reader.unexpected('"}"')
  // The text after `}` is not an expression and must not be tokenised.
  return { node, end: reader.token.end }
}
