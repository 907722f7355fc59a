/** An expression that could not be evaluated: what was missing or of the wrong kind, in one sentence. */

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}

/** What a value is, for sentences: `a list`. */
export const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'boolean' ? 'a boolean' : `a ${typeof value}`
}
