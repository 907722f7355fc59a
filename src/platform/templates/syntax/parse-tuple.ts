/** Parses a tuple with or without parentheses. */
import type { Expression } from './node.ts'
import { syntaxError } from './syntax-error.ts'
import type { ExpressionParser, TokenStream } from './token-stream.ts'

interface TupleOptions {
  /** In parentheses: the tuple may be empty. */
  readonly isExplicit?: boolean
  /** A name that ends the tuple. */
  readonly endName?: string
}

/** One expression, or a tuple if there is a comma. */
export const parseTuple = (
  stream: TokenStream,
  parseItem: ExpressionParser,
  options: TupleOptions = {},
): Expression => {
  const { isExplicit = false, endName } = options
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
