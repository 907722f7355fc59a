/** Parses CEL source into a syntax tree. */
import { ExpressionSyntaxError, nextToken, type Token } from './next-token.ts'

export type Node =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'name'; readonly name: string; readonly offset: number }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Node, Node])[] }
  | { readonly kind: 'member'; readonly object: Node; readonly key: string }
  | { readonly kind: 'index'; readonly object: Node; readonly key: Node }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
  | {
      readonly kind: 'conditional'
      readonly condition: Node
      readonly whenTrue: Node
      readonly whenFalse: Node
    }
  /** `method`: written as `receiver.name(...)`; the receiver is then the first argument. */
  | {
      readonly kind: 'call'
      readonly name: string
      readonly arguments: readonly Node[]
      readonly method: boolean
      readonly offset: number
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
/** Limits the operators or members in a row; each one adds a level to the tree and to the call stack. */
const MAX_CHAIN_LENGTH = 1000
const CONSTANTS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null }

class Reader {
  readonly source: string
  token: Token
  depth = 0

  constructor(source: string, from: number) {
    this.source = source
    this.token = nextToken(source, from)
  }

  isAt(symbol: string): boolean {
    return this.token.value === symbol && (this.token.kind === 'symbol' || this.token.kind === 'name')
  }

  advance(): Token {
    const token = this.token
    this.token = nextToken(this.source, token.end)
    return token
  }

  skipIf(symbol: string): boolean {
    if (!this.isAt(symbol)) return false
    this.advance()
    return true
  }

  expect(symbol: string): void {
    if (!this.skipIf(symbol)) throw this.unexpected(`"${symbol}"`)
  }

  unexpected(expected: string): ExpressionSyntaxError {
    const found = this.token.kind === 'end' ? 'the end' : `"${this.token.value}"`
    return new ExpressionSyntaxError(`expected ${expected}, found ${found}`, this.token.offset)
  }
}

const readList = <T>(reader: Reader, close: string, readItem: () => T): T[] => {
  const items: T[] = []
  while (!reader.isAt(close)) {
    items.push(readItem())
    if (!reader.skipIf(',')) break
  }
  reader.expect(close)
  return items
}

const readName = (reader: Reader): Node => {
  const { value, offset } = reader.advance()
  if (Object.hasOwn(CONSTANTS, value)) return { kind: 'literal', value: CONSTANTS[value] }
  if (value in Object.prototype || value === 'in')
    throw new ExpressionSyntaxError(`"${value}" is not a valid name`, offset)
  if (!reader.skipIf('(')) return { kind: 'name', name: value, offset }
  const callArguments = readList(reader, ')', () => readConditional(reader))
  return { kind: 'call', name: value, arguments: callArguments, method: false, offset }
}

const readPrimary = (reader: Reader): Node => {
  const { kind } = reader.token
  if (kind === 'number') return { kind: 'literal', value: Number(reader.advance().value) }
  if (kind === 'text') return { kind: 'literal', value: reader.advance().value }
  if (kind === 'name') return readName(reader)
  if (reader.skipIf('(')) {
    const inner = readConditional(reader)
    reader.expect(')')
    return inner
  }
  if (reader.skipIf('[')) return { kind: 'list', items: readList(reader, ']', () => readConditional(reader)) }
  if (reader.skipIf('{')) {
    const entries = readList(reader, '}', () => {
      const key = readConditional(reader)
      reader.expect(':')
      return [key, readConditional(reader)] as const
    })
    return { kind: 'map', entries }
  }
  throw reader.unexpected('a value')
}

const readMember = (reader: Reader, object: Node): Node => {
  if (reader.token.kind !== 'name') throw reader.unexpected('a name')
  const { value, offset } = reader.advance()
  if (!reader.skipIf('(')) return { kind: 'member', object, key: value }
  const callArguments = readList(reader, ')', () => readConditional(reader))
  return { kind: 'call', name: value, arguments: [object, ...callArguments], method: true, offset }
}

const checkChainLength = (reader: Reader, length: number): void => {
  if (length > MAX_CHAIN_LENGTH)
    throw new ExpressionSyntaxError('the expression is too long', reader.token.offset)
}

const readPostfix = (reader: Reader): Node => {
  let node = readPrimary(reader)
  for (let length = 0; ; length += 1) {
    checkChainLength(reader, length)
    if (reader.skipIf('.')) node = readMember(reader, node)
    else if (reader.skipIf('[')) {
      node = { kind: 'index', object: node, key: readConditional(reader) }
      reader.expect(']')
    } else return node
  }
}

const readUnary = (reader: Reader): Node => {
  if (!reader.isAt('!') && !reader.isAt('-')) return readPostfix(reader)
  const operator = reader.advance().value
  return { kind: 'unary', operator, operand: readNested(reader, () => readUnary(reader)) }
}

const readBinary = (reader: Reader, level: number): Node => {
  const operators = LEVELS[level]
  if (operators === undefined) return readUnary(reader)
  let left = readBinary(reader, level + 1)
  for (let length = 0; reader.token.kind !== 'text' && operators.includes(reader.token.value); length += 1) {
    checkChainLength(reader, length)
    const operator = reader.advance().value
    left = { kind: 'binary', operator, left, right: readBinary(reader, level + 1) }
  }
  return left
}

const readNested = (reader: Reader, read: () => Node): Node => {
  reader.depth += 1
  if (reader.depth > MAX_DEPTH)
    throw new ExpressionSyntaxError('the expression is nested too deeply', reader.token.offset)
  const node = read()
  reader.depth -= 1
  return node
}

const readConditional = (reader: Reader): Node =>
  readNested(reader, () => {
    const condition = readBinary(reader, 0)
    if (!reader.skipIf('?')) return condition
    const whenTrue = readConditional(reader)
    reader.expect(':')
    return { kind: 'conditional', condition, whenTrue, whenFalse: readConditional(reader) }
  })

/** Parses the whole source. Throws an ExpressionSyntaxError. */
export const parseExpression = (source: string): Node => {
  const reader = new Reader(source, 0)
  const node = readConditional(reader)
  if (reader.token.kind !== 'end') throw reader.unexpected('the end')
  return node
}

/** Parses an expression that ends with `}` inside longer text; `end` is the offset after the `}`. */
export const parseEmbedded = (source: string, from: number): { node: Node; end: number } => {
  const reader = new Reader(source, from)
  const node = readConditional(reader)
  if (!reader.isAt('}')) throw reader.unexpected('"}"')
  // The text after `}` is not an expression and must not be tokenised.
  return { node, end: reader.token.end }
}
