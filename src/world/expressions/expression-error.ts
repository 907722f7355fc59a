/** The error of an expression that cannot be evaluated; the message is one sentence. */

export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}

/** The type of a value for messages: `a list`. */
export const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'boolean' ? 'a boolean' : `a ${typeof value}`
}
