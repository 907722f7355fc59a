/** Parses lists and dictionaries. */
import type { Expression } from './node.ts'
import type { ExpressionParser, TokenStream } from './token-stream.ts'

export const parseList = (stream: TokenStream, parseExpression: ExpressionParser): Expression => {
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

export const parseDict = (stream: TokenStream, parseExpression: ExpressionParser): Expression => {
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
