/** Parses Jinja's expressions. */
import { toFloat, toInt } from '../python/value.ts'
import { decodeString } from './decode-string.ts'
import type {
  Arguments,
  BinaryOperator,
  CompareOperator,
  Expression,
  FilterNode,
  SliceBounds,
} from './node.ts'
import type { TokenStream } from './token-stream.ts'
import { syntaxError } from './tokenise.ts'

const NO_ARGUMENTS: Arguments = { positional: [], keywords: [] }
const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>='])
const CONSTANTS = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

export const parseExpression = (stream: TokenStream): Expression =>
  stream.nested(() => parseConditional(stream))

const parseConditional = (stream: TokenStream): Expression => {
  let { line } = stream.current
  let expression = parseOr(stream)
  while (stream.skip('name', 'if')) {
    const test = parseOr(stream)
    const otherwise = stream.skip('name', 'else') ? parseExpression(stream) : undefined
    expression = { type: 'conditional', test, whenTrue: expression, otherwise, line }
    line = stream.current.line
  }
  return expression
}

export const parseOr = (stream: TokenStream): Expression => {
  let left = parseAnd(stream)
  while (stream.skip('name', 'or')) left = { type: 'or', left, right: parseAnd(stream) }
  return left
}

const parseAnd = (stream: TokenStream): Expression => {
  let left = parseNot(stream)
  while (stream.skip('name', 'and')) left = { type: 'and', left, right: parseNot(stream) }
  return left
}

const parseNot = (stream: TokenStream): Expression => {
  if (!stream.skip('name', 'not')) return parseCompare(stream)
  return { type: 'unary', operator: 'not', operand: stream.nested(() => parseNot(stream)) }
}

const compareOperator = (stream: TokenStream): CompareOperator | undefined => {
  if (stream.is('operator') && COMPARISONS.has(stream.current.value))
    return stream.next().value as CompareOperator
  if (stream.skip('name', 'in')) return 'in'
  if (!stream.is('name', 'not')) return undefined
  const { type, value } = stream.following
  if (type !== 'name' || value !== 'in') return undefined
  stream.next()
  stream.next()
  return 'not in'
}

const parseCompare = (stream: TokenStream): Expression => {
  const first = parseSum(stream)
  const rest: [CompareOperator, Expression][] = []
  for (let operator = compareOperator(stream); operator !== undefined; operator = compareOperator(stream))
    rest.push([operator, parseSum(stream)])
  return rest.length === 0 ? first : { type: 'compare', first, rest }
}

const parseBinary = (
  stream: TokenStream,
  operators: readonly string[],
  parseOperand: (stream: TokenStream) => Expression,
): Expression => {
  let left = parseOperand(stream)
  while (stream.is('operator') && operators.includes(stream.current.value)) {
    const operator = stream.next().value as BinaryOperator
    left = { type: 'binary', operator, left, right: parseOperand(stream) }
  }
  return left
}

const parseSum = (stream: TokenStream): Expression => parseBinary(stream, ['+', '-'], parseConcatenation)

const parseConcatenation = (stream: TokenStream): Expression => {
  const parts = [parseProduct(stream)]
  while (stream.skip('operator', '~')) parts.push(parseProduct(stream))
  return parts.length === 1 ? parts[0]! : { type: 'concatenate', parts }
}

const parseProduct = (stream: TokenStream): Expression =>
  parseBinary(stream, ['*', '/', '//', '%'], parsePower)

const parsePower = (stream: TokenStream): Expression =>
  parseBinary(stream, ['**'], (inner) => parseUnary(inner))

const parseUnary = (stream: TokenStream, withFilter = true): Expression => {
  let node: Expression
  if (stream.is('operator', '-') || stream.is('operator', '+')) {
    const operator = stream.next().value as '-' | '+'
    node = { type: 'unary', operator, operand: stream.nested(() => parseUnary(stream, false)) }
  } else {
    node = parsePrimary(stream)
  }
  node = parsePostfix(stream, node)
  return withFilter ? parseFilters(stream, node) : node
}

const parseNumber = (stream: TokenStream): Expression => {
  const { type, value } = stream.next()
  const digits = value.replaceAll('_', '')
  return { type: 'constant', value: type === 'float' ? toFloat(Number(digits)) : toInt(BigInt(digits)) }
}

const parseStrings = (stream: TokenStream): Expression => {
  let value = ''
  while (stream.is('string')) value += decodeString(stream.next().value)
  return { type: 'constant', value }
}

export const parsePrimary = (stream: TokenStream): Expression => {
  const { type, value } = stream.current
  if (type === 'name') {
    stream.next()
    return CONSTANTS.has(value)
      ? { type: 'constant', value: CONSTANTS.get(value) }
      : { type: 'name', name: value }
  }
  if (type === 'string') return parseStrings(stream)
  if (type === 'integer' || type === 'float') return parseNumber(stream)
  if (stream.is('operator', '[')) return parseList(stream)
  if (stream.is('operator', '{')) return parseDict(stream)
  if (!stream.skip('operator', '(')) throw syntaxError(`unexpected '${stream.describeCurrent()}'`)
  const tuple = parseTuple(stream, { isExplicit: true })
  stream.expect('operator', ')')
  return tuple
}

export interface TupleOptions {
  /** In parentheses: the tuple may be empty. */
  readonly isExplicit?: boolean
  /** Parses one item; an expression by default. */
  readonly parseItem?: (stream: TokenStream) => Expression
  /** A name that ends the tuple. */
  readonly endName?: string
}

/** One expression, or a tuple if there is a comma. */
export const parseTuple = (stream: TokenStream, options: TupleOptions = {}): Expression => {
  const { isExplicit = false, parseItem = parseExpression, endName } = options
  const isEnd = (): boolean =>
    stream.is('variable_end') ||
    stream.is('block_end') ||
    stream.is('operator', ')') ||
    (endName !== undefined && stream.is('name', endName))
  const items: Expression[] = []
  let isTuple = false
  while (true) {
    if (items.length > 0) stream.expect('operator', ',')
    if (isEnd()) break
    items.push(parseItem(stream))
    if (!stream.is('operator', ',')) break
    isTuple = true
  }
  if (!isTuple && items.length > 0) return items[0]!
  if (!isTuple && !isExplicit) throw syntaxError(`Expected an expression, got '${stream.describeCurrent()}'`)
  return { type: 'tuple', items }
}

const parseList = (stream: TokenStream): Expression => {
  stream.expect('operator', '[')
  const items: Expression[] = []
  while (!stream.is('operator', ']')) {
    if (items.length > 0) stream.expect('operator', ',')
    if (stream.is('operator', ']')) break
    items.push(parseExpression(stream))
  }
  stream.expect('operator', ']')
  return { type: 'list', items }
}

const parseDict = (stream: TokenStream): Expression => {
  stream.expect('operator', '{')
  const pairs: [Expression, Expression][] = []
  while (!stream.is('operator', '}')) {
    if (pairs.length > 0) stream.expect('operator', ',')
    if (stream.is('operator', '}')) break
    const key = parseExpression(stream)
    stream.expect('operator', ':')
    pairs.push([key, parseExpression(stream)])
  }
  stream.expect('operator', '}')
  return { type: 'dict', pairs }
}

const parsePostfix = (stream: TokenStream, start: Expression): Expression => {
  let node = start
  while (stream.is('operator')) {
    const { value } = stream.current
    if (value === '.' || value === '[') node = parseSubscript(stream, node)
    else if (value === '(') node = { type: 'call', callee: node, args: parseArguments(stream) }
    else break
  }
  return node
}

const parseSubscript = (stream: TokenStream, owner: Expression): Expression => {
  if (stream.next().value === '.') {
    const { type, value } = stream.next()
    if (type === 'name') return { type: 'attribute', owner, name: value }
    if (type !== 'integer') throw syntaxError('expected name or number')
    return { type: 'item', owner, key: { type: 'constant', value: toInt(BigInt(value.replaceAll('_', ''))) } }
  }
  const parts: (Expression | SliceBounds)[] = []
  while (!stream.is('operator', ']')) {
    if (parts.length > 0) stream.expect('operator', ',')
    parts.push(parseSubscribed(stream))
  }
  stream.expect('operator', ']')
  const [part] = parts
  if (parts.length !== 1 || part === undefined) return stream.unsupported('subscripts with commas')
  return Array.isArray(part)
    ? { type: 'slice', owner, bounds: part as SliceBounds }
    : { type: 'item', owner, key: part as Expression }
}

/** An expression, or the bounds of a slice. */
const parseSubscribed = (stream: TokenStream): Expression | SliceBounds => {
  const first = stream.is('operator', ':') ? undefined : parseExpression(stream)
  if (!stream.skip('operator', ':')) return first!
  const isEnd = (): boolean => stream.is('operator', ']') || stream.is('operator', ',')
  const second = stream.is('operator', ':') || isEnd() ? undefined : parseExpression(stream)
  if (!stream.skip('operator', ':')) return [first, second, undefined]
  return [first, second, isEnd() ? undefined : parseExpression(stream)]
}

const check = (isValid: boolean): void => {
  if (!isValid) throw syntaxError('invalid syntax for function call expression')
}

const parseArguments = (stream: TokenStream): Arguments => {
  stream.expect('operator', '(')
  const positional: Expression[] = []
  const keywords: [string, Expression][] = []
  let spread: Expression | undefined
  let keywordSpread: Expression | undefined
  for (let isFirst = true; !stream.is('operator', ')'); isFirst = false) {
    if (!isFirst) stream.expect('operator', ',')
    if (stream.is('operator', ')')) break
    if (stream.skip('operator', '*')) {
      check(spread === undefined && keywordSpread === undefined)
      spread = parseExpression(stream)
    } else if (stream.skip('operator', '**')) {
      check(keywordSpread === undefined)
      keywordSpread = parseExpression(stream)
    } else if (stream.is('name') && stream.following.type === 'operator' && stream.following.value === '=') {
      check(keywordSpread === undefined)
      const name = stream.next().value
      stream.next()
      keywords.push([name, parseExpression(stream)])
    } else {
      check(spread === undefined && keywordSpread === undefined && keywords.length === 0)
      positional.push(parseExpression(stream))
    }
  }
  stream.expect('operator', ')')
  // Python rejects the compiled template, and Ansible then returns the text of the template.
  const names = new Set(keywords.map(([name]) => name))
  if (names.size < keywords.length || names.has('__debug__')) stream.unsupported('repeated keywords')
  return { positional, keywords, spread, keywordSpread }
}

const parseFilters = (stream: TokenStream, start: Expression): Expression => {
  let node = start
  while (true) {
    if (stream.is('operator', '|')) node = parseFilter(stream, node)
    else if (stream.is('name', 'is')) node = parseTest(stream, node)
    else if (stream.is('operator', '(')) node = { type: 'call', callee: node, args: parseArguments(stream) }
    else return node
  }
}

const parseDottedName = (stream: TokenStream): string => {
  let name = stream.expect('name').value
  while (stream.skip('operator', '.')) name += `.${stream.expect('name').value}`
  return name
}

/** Parses the filters from the current `|` onwards. With `isInline`, the first filter is not preceded by `|`. */
export const parseFilter = (
  stream: TokenStream,
  input: Expression | undefined,
  isInline = false,
): FilterNode => {
  let node: FilterNode | undefined
  while (stream.is('operator', '|') || (isInline && node === undefined)) {
    if (!isInline || node !== undefined) stream.next()
    const name = parseDottedName(stream)
    const args = stream.is('operator', '(') ? parseArguments(stream) : NO_ARGUMENTS
    node = { type: 'filter', input: node ?? input, name, args }
  }
  return node!
}

const startsTestArgument = (stream: TokenStream): boolean => {
  const { type, value } = stream.current
  if (type === 'operator') return value === '[' || value === '{'
  if (type === 'name') return value !== 'else' && value !== 'or' && value !== 'and'
  return type === 'string' || type === 'integer' || type === 'float'
}

const parseTestArguments = (stream: TokenStream): Arguments => {
  if (stream.is('operator', '(')) return parseArguments(stream)
  if (!startsTestArgument(stream)) return NO_ARGUMENTS
  if (stream.is('name', 'is')) throw syntaxError('You cannot chain multiple tests with is')
  return { positional: [parsePostfix(stream, parsePrimary(stream))], keywords: [] }
}

const parseTest = (stream: TokenStream, input: Expression): Expression => {
  stream.expect('name', 'is')
  const isNegated = stream.skip('name', 'not')
  const name = parseDottedName(stream)
  const test: Expression = { type: 'test', input, name, args: parseTestArguments(stream) }
  return isNegated ? { type: 'unary', operator: 'not', operand: test } : test
}
