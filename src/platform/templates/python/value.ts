/**
 * The values of templates. Booleans, null, strings and arrays are JavaScript's. A whole number is an int; a bigint is an int outside
 * the safe range; a number with a fraction is a float. A dictionary is a plain object (from variables) or a `Dict`.
 */
import { UnsupportedTemplate } from '../template-error.ts'

/** A float whose value is a whole number, such as 2.0: as a plain number it would be an int. */
export class Float {
  get pythonType(): string {
    return 'float'
  }

  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

export class Tuple {
  get pythonType(): string {
    return this.fields.length > 0 ? '_GroupTuple' : 'tuple'
  }

  get pythonModule(): string | undefined {
    return this.fields.length > 0 ? 'jinja2.filters' : undefined
  }

  readonly items: readonly unknown[]
  /** Names of the items, as in a named tuple. */
  readonly fields: readonly string[]

  constructor(items: readonly unknown[], fields: readonly string[] = []) {
    this.items = items
    this.fields = fields
  }
}

/** A string of a subclass: Ansible never converts a NativeJinjaText to another type; Markup is text that Jinja escaped. */
export class Text {
  get pythonType(): string {
    return this.kind
  }

  readonly text: string
  readonly kind: 'NativeJinjaText' | 'Markup'

  constructor(text: string, kind: 'NativeJinjaText' | 'Markup') {
    this.text = text
    this.kind = kind
  }
}

export class Range {
  get pythonType(): string {
    return 'range'
  }

  readonly start: number
  readonly step: number
  readonly length: number
  readonly stop: number

  constructor(start: number, stop: number, step: number) {
    this.start = start
    this.stop = stop
    this.step = step
    this.length = Math.max(0, Math.ceil((stop - start) / step))
  }
}

/** The result of `namespace()`, the only value that a template can change. */
export class Namespace {
  readonly pythonModule = 'jinja2.utils'
  get pythonType(): string {
    return 'Namespace'
  }

  readonly members = new Map<string, unknown>()
}

/** A method of a value, or a function such as `range`. */
export class Callable {
  get pythonType(): string {
    return 'builtin_function_or_method'
  }

  /** Such as `dict.items`. */
  readonly name: string
  readonly call: (args: readonly unknown[], keywords: Keywords) => unknown

  constructor(name: string, call: (args: readonly unknown[], keywords: Keywords) => unknown) {
    this.name = name
    this.call = call
  }
}

export type Keywords = ReadonlyMap<string, unknown>
export const NO_KEYWORDS: Keywords = new Map()

/** Whether the value is a string or an instance of a subclass. */
export const isString = (value: unknown): value is string | Text =>
  typeof value === 'string' || value instanceof Text

/** The characters of a string. Markup escapes other strings when it is combined with them, which is not supported. */
export const charactersOf = (value: string | Text): string => {
  if (typeof value === 'string') return value
  if (value.kind === 'Markup') throw new UnsupportedTemplate('operations on the result of the filter tojson')
  return value.text
}

/** The characters of a string, regardless of its subclass. */
export const plainCharactersOf = (value: string | Text): string =>
  typeof value === 'string' ? value : value.text

export const isFloat = (value: unknown): value is number | Float =>
  value instanceof Float || (typeof value === 'number' && !Number.isInteger(value))

/** Excludes booleans, which Python counts as ints. */
export const isInt = (value: unknown): value is number | bigint => {
  if (typeof value === 'bigint') return true
  if (typeof value !== 'number' || !Number.isInteger(value)) return false
  if (!Number.isSafeInteger(value))
    throw new UnsupportedTemplate('numbers above 2^53 in variables, whose type is ambiguous')
  return true
}

/** Numbers and booleans. */
export const isNumeric = (value: unknown): value is number | bigint | boolean | Float =>
  typeof value === 'boolean' || isInt(value) || isFloat(value)

/** Makes a float. Infinity and NaN are not supported, because Jinja itself fails with them in constants. */
export const toFloat = (value: number): number | Float => {
  if (!Number.isFinite(value)) throw new UnsupportedTemplate('infinite numbers and NaN')
  return Number.isInteger(value) ? new Float(value) : value
}

export const floatValue = (value: number | Float): number => (typeof value === 'number' ? value : value.value)

/** Makes an int: a number if that is exact. */
export const toInt = (value: bigint): number | bigint =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value

/** An int, or a boolean as 0 or 1. */
export const intOf = (value: number | bigint | boolean): number | bigint =>
  typeof value === 'boolean' ? Number(value) : value

/** An index, a width or a count: an int in the safe range or a boolean; undefined for other types. */
export const indexOf = (value: unknown): number | undefined => {
  if (typeof value === 'boolean') return Number(value)
  if (!isInt(value)) return undefined
  if (typeof value === 'bigint') throw new UnsupportedTemplate('an index above 2^53')
  return value
}
