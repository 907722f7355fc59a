/** Creates the errors of schema validation, with the messages of the server's OpenAPI validator. */
import { type FieldError, goValue, notSupported } from '#platform/kube/meta'

/** Replaces the field name in errors that have no field; Go prints an empty path this way. */
const NO_FIELD = '<nil>'

/** Joins `spec` and `replicas` into `spec.replicas`. The root path is empty. */
export const childPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

export const fieldOf = (path: string): string => (path === '' ? NO_FIELD : path)

/** For example, `Invalid value: 0: spec.replicas in body should be ...`. */
export const violation = (path: string, value: unknown, rule: string): FieldError => ({
  field: fieldOf(path),
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${goValue(value)}: ${path} in body ${rule}`,
})

/** For example, `Invalid value: "string": spec.replicas in body must be of type integer: "string"`. */
export const wrongType = (path: string, type: string, found: string): FieldError => ({
  field: fieldOf(path),
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: ${JSON.stringify(found)}: ${path} in body must be of type ${type}: ${JSON.stringify(found)}`,
})

export const tooMany = (path: string, count: number, limit: number): FieldError => ({
  field: fieldOf(path),
  reason: 'FieldValueTooMany',
  message: `Too many: ${count}: must have at most ${limit} items`,
})

/** Lists the values in the order of the schema. */
export const unsupported = (path: string, value: unknown, allowed: readonly unknown[]): FieldError =>
  notSupported(
    fieldOf(path),
    value,
    allowed.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
  )

/** An error of `allOf`, `anyOf`, `oneOf` or `not`, which the server reports without a field. */
export const composite = (message: string): FieldError => ({
  field: NO_FIELD,
  reason: 'FieldValueInvalid',
  message: `Invalid value: "": ${message}`,
})
