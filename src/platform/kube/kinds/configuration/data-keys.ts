/** Validation that ConfigMaps and Secrets share: keys, size and immutability. */
import { deepEqual } from '#kit'
import { type FieldError, forbiddenField, invalid } from '#platform/kube/meta'

/** The maximum size of an object's data. */
export const MAX_DATA_BYTES = 1024 * 1024

const KEY = /^[-._a-zA-Z0-9]+$/
const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

/** Returns the messages about an invalid key of a ConfigMap or Secret. */
export const keyProblems = (key: string): string[] => [
  ...(key.length > 253 ? ['must be no more than 253 characters'] : []),
  ...(KEY.test(key) ? [] : [KEY_TEXT]),
  ...(key === '.' || key === '..' ? [`must not be '${key}'`] : []),
  ...(key.startsWith('..') && key !== '..' ? ["must not start with '..'"] : []),
]

export const validateKeys = (keys: readonly string[], field: string): FieldError[] =>
  keys.flatMap((key) => keyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem)))

/** Returns the decoded size of base64 text. */
export const decodedBytes = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4)

const IMMUTABLE_TEXT = 'field is immutable when `immutable` is set'

/** Rejects changes to an object whose `immutable` field is true. `fields` are the data fields. */
export const validateImmutable = (
  object: { readonly [field: string]: any },
  old: { readonly [field: string]: any },
  fields: readonly string[],
): FieldError[] =>
  old.immutable !== true
    ? []
    : [
        ...(object.immutable === true ? [] : [forbiddenField('immutable', IMMUTABLE_TEXT)]),
        ...fields
          .filter((field) => !deepEqual(object[field] ?? {}, old[field] ?? {}))
          .map((field) => forbiddenField(field, IMMUTABLE_TEXT)),
      ]
