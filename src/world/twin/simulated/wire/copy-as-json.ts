/** Copies a value as if it were sent as JSON, without the text, and counts the bytes of the text. */

export interface JsonCopy {
  /** Shares no mutable parts with the original. */
  readonly value: unknown
  /** The size of the JSON text; escaped characters count as one. */
  readonly bytes: number
}

/** The number of bytes of the copy in progress. */
let counted = 0

const NULL_BYTES = 4

const copyNull = (): null => {
  counted += NULL_BYTES
  return null
}

const digitsOf = (value: number): number => {
  if (!Number.isInteger(value)) return String(value).length
  const magnitude = Math.abs(value)
  const sign = value < 0 ? 1 : 0
  if (magnitude < 10) return sign + 1
  if (magnitude < 100) return sign + 2
  return magnitude < 1000 ? sign + 3 : String(value).length
}

/** JSON has no -0, NaN and infinity. */
const copyNumber = (value: number): number | null => {
  if (!Number.isFinite(value)) return copyNull()
  counted += digitsOf(value)
  return value === 0 ? 0 : value
}

const copyArray = (items: readonly unknown[]): unknown[] => {
  const copy: unknown[] = []
  counted += items.length === 0 ? 2 : items.length + 1
  for (const item of items) {
    const copied = copyValue(item)
    copy.push(copied === undefined ? copyNull() : copied)
  }
  return copy
}

const setMember = (copy: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === '__proto__')
    Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true })
  else copy[name] = value
}

const copyObject = (source: object): unknown => {
  if (typeof (source as { toJSON?: unknown }).toJSON === 'function')
    return copyValue((source as { toJSON(key: string): unknown }).toJSON(''))
  const copy: Record<string, unknown> = {}
  const before = counted
  for (const name of Object.keys(source)) {
    const value = copyValue((source as Record<string, unknown>)[name])
    if (value === undefined) continue
    // Quotes, colon, and comma or bracket.
    counted += name.length + 4
    setMember(copy, name, value)
  }
  counted += counted === before ? 2 : 1
  return copy
}

/** Returns undefined for a value that JSON omits. */
const copyValue = (value: unknown): unknown => {
  switch (typeof value) {
    case 'string':
      counted += Buffer.byteLength(value) + 2
      return value
    case 'number':
      return copyNumber(value)
    case 'boolean':
      counted += value ? 4 : 5
      return value
    case 'object':
      if (value === null) return copyNull()
      return Array.isArray(value) ? copyArray(value) : copyObject(value)
    case 'bigint':
      throw new TypeError('Do not know how to serialize a BigInt')
    default:
      return undefined
  }
}

/** The copy of `undefined` is null. Throws a TypeError for a bigint. */
export const copyAsJson = (value: unknown): JsonCopy => {
  counted = 0
  const copied = copyValue(value)
  return { value: copied === undefined ? copyNull() : copied, bytes: counted }
}
