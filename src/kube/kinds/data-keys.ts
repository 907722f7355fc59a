/** What ConfigMaps and Secrets have in common: keys, size and immutability of their data. */
import { deepEqual } from '../../kit/index.ts'
import { type FieldError, forbiddenField, invalid } from '../meta/index.ts'

/** The most that one object's data may hold, in bytes. */
export const DATA_LIMIT = 1024 * 1024

const KEY = /^[-._a-zA-Z0-9]+$/
const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

/** What is wrong with a key of a ConfigMap or Secret. */
export const keyProblems = (key: string): string[] => [
  ...(key.length > 253 ? ['must be no more than 253 characters'] : []),
  ...(KEY.test(key) ? [] : [KEY_TEXT]),
  ...(key === '.' || key === '..' ? [`must not be '${key}'`] : []),
  ...(key.startsWith('..') && key !== '..' ? ["must not start with '..'"] : []),
]

export const validateKeys = (keys: readonly string[], field: string): FieldError[] =>
  keys.flatMap((key) => keyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem)))

/** Bytes that base64 text stands for. */
export const encodedSize = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4)

const FROZEN = 'field is immutable when `immutable` is set'

/** Findings on a change of an object that was declared immutable; `fields` are those that hold data. */
export const validateFrozen = (
  object: { readonly [field: string]: any },
  old: { readonly [field: string]: any },
  fields: readonly string[],
): FieldError[] =>
  old.immutable !== true
    ? []
    : [
        ...(object.immutable === true ? [] : [forbiddenField('immutable', FROZEN)]),
        ...fields
          .filter((field) => !deepEqual(object[field] ?? {}, old[field] ?? {}))
          .map((field) => forbiddenField(field, FROZEN)),
      ]
