/** Types and predicates for JSON values, used by the decoder. */

export type Fields = Record<string, unknown>

/** Whether Go omits the value from JSON under `omitempty`. */
export const isZero = (value: unknown): boolean => {
  if (value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
