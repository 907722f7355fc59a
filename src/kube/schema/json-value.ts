/** Questions about JSON values, and copies of them. */

export type Fields = Record<string, unknown>

/** Plain assignment would lose a key named `__proto__`. */
export const put = (target: Fields, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

export const isPlainObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A copy of any JSON value. */
export const copyJson = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copyJson)
  if (!isPlainObject(value)) return value
  const copy: Fields = {}
  for (const key of Object.keys(value)) put(copy, key, copyJson(value[key]))
  return copy
}

export const isZero = (value: unknown): boolean => {
  if (value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
