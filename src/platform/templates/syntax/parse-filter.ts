/** Parses filters. */
import type { Arguments, Expression, FilterNode } from './node.ts'
import { parseArguments } from './parse-arguments.ts'
import type { ExpressionParser, TokenStream } from './token-stream.ts'

export const NO_ARGUMENTS: Arguments = { positional: [], keywords: [] }

export const parseDottedName = (stream: TokenStream): string => {
  let name = stream.expect('name').value
  while (stream.skip('operator', '.')) name += `.${stream.expect('name').value}`
  return name
}

/** Parses the filters from the current `|` onwards. With `isInline`, the first filter is not preceded by `|`. */
export const parseFilter = (
  stream: TokenStream,
  input: Expression | undefined,
  parseExpression: ExpressionParser,
  isInline = false,
): FilterNode => {
  let node: FilterNode | undefined
  while (stream.is('operator', '|') || (isInline && node === undefined)) {
    if (!isInline || node !== undefined) stream.next()
    const name = parseDottedName(stream)
    const args = stream.is('operator', '(') ? parseArguments(stream, parseExpression) : NO_ARGUMENTS
    node = { type: 'filter', input: node ?? input, name, args }
  }
  return node!
}
