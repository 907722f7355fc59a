/** The names of Python's types in messages. */
import { isPlainObject } from '#kit'
import { UnsupportedTemplate } from '../template-error.ts'

/** Implemented by the classes of values. */
export interface Typed {
  readonly pythonType: string
  /** The module in Jinja's descriptions; omitted for built-in types. */
  readonly pythonModule?: string
}

const isTyped = (value: unknown): value is Typed =>
  typeof value === 'object' && value !== null && 'pythonType' in value && !isPlainObject(value)

export const typeName = (value: unknown): string => {
  if (value === null) return 'NoneType'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  if (Array.isArray(value)) return 'list'
  if (isTyped(value)) return value.pythonType
  if (isPlainObject(value)) return 'dict'
  throw new UnsupportedTemplate('values of this type in variables')
}

/** How Jinja describes a value without an attribute: `dict object`. */
export const describeType = (value: unknown): string => {
  if (value === null) return 'None'
  const module = isTyped(value) ? value.pythonModule : undefined
  return `${module === undefined ? '' : `${module}.`}${typeName(value)} object`
}

/** Such as `<class 'dict'>`. */
export const className = (value: unknown): string => {
  const module = isTyped(value) ? value.pythonModule : undefined
  return `<class '${module === undefined ? '' : `${module}.`}${typeName(value)}'>`
}
