/** Parses attributes, items and slices. */
import { toInt } from '../python/value.ts'
import type { Expression, SliceBounds } from './node.ts'
import { syntaxError } from './syntax-error.ts'
import type { ExpressionParser, TokenStream } from './token-stream.ts'

export const parseSubscript = (
  stream: TokenStream,
  owner: Expression,
  parseExpression: ExpressionParser,
): Expression => {
  if (stream.next().value === '.') {
    const { type, value } = stream.next()
    if (type === 'name') return { type: 'attribute', owner, name: value }
    if (type !== 'integer') throw syntaxError('expected name or number')
    return { type: 'item', owner, key: { type: 'constant', value: toInt(BigInt(value.replaceAll('_', ''))) } }
  }
  const parts: (Expression | SliceBounds)[] = []
  while (!stream.is('operator', ']')) {
    if (parts.length > 0) stream.expect('operator', ',')
    parts.push(parseSubscribed(stream, parseExpression))
  }
  stream.expect('operator', ']')
  const [part] = parts
  if (parts.length !== 1 || part === undefined) return stream.unsupported('subscripts with commas')
  return Array.isArray(part)
    ? { type: 'slice', owner, bounds: part as SliceBounds }
    : { type: 'item', owner, key: part as Expression }
}

/** An expression, or the bounds of a slice. */
const parseSubscribed = (
  stream: TokenStream,
  parseExpression: ExpressionParser,
): Expression | SliceBounds => {
  const first = stream.is('operator', ':') ? undefined : parseExpression(stream)
  if (!stream.skip('operator', ':')) return first!
  const isEnd = (): boolean => stream.is('operator', ']') || stream.is('operator', ',')
  const second = stream.is('operator', ':') || isEnd() ? undefined : parseExpression(stream)
  if (!stream.skip('operator', ':')) return [first, second, undefined]
  return [first, second, isEnd() ? undefined : parseExpression(stream)]
}
