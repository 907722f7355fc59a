/** Parses Jinja's expressions. */
import type { Arguments, BinaryOperator, CompareOperator, Expression } from './node.ts'
import { parseArguments } from './parse-arguments.ts'
import { parseDict, parseList } from './parse-collection.ts'
import { NO_ARGUMENTS, parseDottedName, parseFilter } from './parse-filter.ts'
import { parseLeaf } from './parse-leaf.ts'
import { parseSubscript } from './parse-subscript.ts'
import { parseTuple } from './parse-tuple.ts'
import { readCompareOperator } from './read-compare-operator.ts'
import { syntaxError } from './syntax-error.ts'
import type { TokenStream } from './token-stream.ts'

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

const parseCompare = (stream: TokenStream): Expression => {
  const first = parseSum(stream)
  const rest: [CompareOperator, Expression][] = []
  for (
    let operator = readCompareOperator(stream);
    operator !== undefined;
    operator = readCompareOperator(stream)
  )
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

export const parsePrimary = (stream: TokenStream): Expression => {
  const leaf = parseLeaf(stream)
  if (leaf !== undefined) return leaf
  if (stream.is('operator', '[')) return parseList(stream, parseExpression)
  if (stream.is('operator', '{')) return parseDict(stream, parseExpression)
  if (!stream.skip('operator', '(')) throw syntaxError(`unexpected '${stream.describeCurrent()}'`)
  const tuple = parseTuple(stream, parseExpression, { isExplicit: true })
  stream.expect('operator', ')')
  return tuple
}

const parsePostfix = (stream: TokenStream, start: Expression): Expression => {
  let node = start
  while (stream.is('operator')) {
    const { value } = stream.current
    if (value === '.' || value === '[') node = parseSubscript(stream, node, parseExpression)
    else if (value === '(')
      node = { type: 'call', callee: node, args: parseArguments(stream, parseExpression) }
    else break
  }
  return node
}

const parseFilters = (stream: TokenStream, start: Expression): Expression => {
  let node = start
  while (true) {
    if (stream.is('operator', '|')) node = parseFilter(stream, node, parseExpression)
    else if (stream.is('name', 'is')) node = parseTest(stream, node)
    else if (stream.is('operator', '('))
      node = { type: 'call', callee: node, args: parseArguments(stream, parseExpression) }
    else return node
  }
}

const startsTestArgument = (stream: TokenStream): boolean => {
  const { type, value } = stream.current
  if (type === 'operator') return value === '[' || value === '{'
  if (type === 'name') return value !== 'else' && value !== 'or' && value !== 'and'
  return type === 'string' || type === 'integer' || type === 'float'
}

const parseTestArguments = (stream: TokenStream): Arguments => {
  if (stream.is('operator', '(')) return parseArguments(stream, parseExpression)
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
