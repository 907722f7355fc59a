/** Validation errors with the messages of kube-apiserver, and the 422 that lists them. */
import { ApiError } from './api-error.ts'

export interface FieldError {
  /** `spec.template.spec.containers[0].image` */
  field: string
  reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueNotFound'
    | 'FieldValueNotSupported'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
  /** The message without the field: `Required value`, `Invalid value: 0: must be greater than zero`. */
  message: string
}

/** Formats a value as Go's `%#v`. Supports the types that messages contain; pass others as `{ go: text }`. */
export const goValue = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'object') {
    if ('go' in value && typeof value.go === 'string') return value.go
    return JSON.stringify(value)
  }
  return String(value)
}

/** Formats a map as `map[string]string{"a":"b"}`, with sorted keys. */
export const goStringMap = (map: Readonly<Record<string, string>> | undefined): { go: string } => ({
  go:
    map === undefined
      ? 'map[string]string(nil)'
      : `map[string]string{${Object.keys(map)
          .sort()
          .map((key) => `${JSON.stringify(key)}:${JSON.stringify(map[key])}`)
          .join(', ')}}`,
})

/** Formats a list as `[]string{"a", "b"}`. */
export const goStrings = (list: readonly string[] | undefined): { go: string } => ({
  go:
    list === undefined ? '[]string(nil)' : `[]string{${list.map((text) => JSON.stringify(text)).join(', ')}}`,
})

export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${goValue(value)}: ${detail}`,
})

export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
})

export const duplicate = (field: string, value: unknown): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${goValue(value)}`,
})

export const forbiddenField = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
})

export const notFoundField = (field: string, value: unknown): FieldError => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${goValue(value)}`,
})

/** Keeps the order of `supported`. The real server sorts sets and keeps the order of lists. */
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${goValue(value)}: supported values: ${supported.map((value) => JSON.stringify(value)).join(', ')}`,
})

export const tooLong = (field: string, limit: number): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${limit} bytes`,
})

/** The 422 that lists every validation error. */
export const invalidObject = (
  group: string,
  kind: string,
  name: string,
  errors: readonly FieldError[],
): ApiError => {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  const list = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
  return new ApiError(
    422,
    'Invalid',
    `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${list}`,
    {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  )
}
