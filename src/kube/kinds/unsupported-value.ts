/** The finding on a value that is none of those a field knows. */
import { type FieldError, goValue } from '../meta/index.ts'

/** The server lists what it supports in an order of its own, not always that of the alphabet: it is kept. */
export const unsupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${goValue(value)}: supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
})
