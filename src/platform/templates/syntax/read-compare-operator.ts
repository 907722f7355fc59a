/** Reads the operator of a comparison. */
import type { CompareOperator } from './node.ts'
import type { TokenStream } from './token-stream.ts'

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>='])

/** Returns undefined if there is none at the position. */
export const readCompareOperator = (stream: TokenStream): CompareOperator | undefined => {
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
