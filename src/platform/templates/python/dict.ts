/** Dictionaries: `Dict` keeps Python's keys and their order; plain objects come from variables and have string keys. */
import { isPlainObject, memberOf } from '#kit'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendItems } from '../work.ts'
import { typeError } from './python-error.ts'
import { typeName } from './type-name.ts'
import { Undefined } from './undefined.ts'
import { Float, isString, plainCharactersOf, Tuple } from './value.ts'

type HashKey = string | number | bigint | null

const hashPart = (value: unknown): string => {
  const key = hashKey(value)
  return typeof key === 'string' ? JSON.stringify(key) : String(key)
}

/** Maps a value to a key of a JavaScript map, so that values that are equal in Python have the same key. */
const hashKey = (value: unknown): HashKey => {
  // Strings that begin with NUL would collide with the keys of tuples.
  if (typeof value === 'string') return value.startsWith('\0') ? `\0s${value}` : value
  if (value === null || typeof value === 'bigint') return value
  if (typeof value === 'number') return value === 0 ? 0 : value
  if (typeof value === 'boolean') return Number(value)
  if (isString(value)) return hashKey(plainCharactersOf(value))
  if (value instanceof Float)
    return Number.isSafeInteger(value.value) ? hashKey(value.value) : BigInt(value.value)
  if (value instanceof Tuple) return `\0(${value.items.map(hashPart).join(',')})`
  if (value instanceof Undefined) return value.fail()
  if (Array.isArray(value) || isDict(value)) throw typeError(`unhashable type: '${typeName(value)}'`)
  throw new UnsupportedTemplate(`a value of the type ${typeName(value)} as a key`)
}

/** Throws TypeError for lists and dictionaries. */
export const checkHashable = (value: unknown): void => void hashKey(value)

export class Dict {
  readonly #entries = new Map<HashKey, [key: unknown, value: unknown]>()

  static of(entries: Iterable<readonly [unknown, unknown]>): Dict {
    const dict = new Dict()
    for (const [key, value] of entries) dict.set(key, value)
    return dict
  }

  get pythonType(): string {
    return 'dict'
  }

  get size(): number {
    return this.#entries.size
  }

  has(key: unknown): boolean {
    return this.#entries.has(hashKey(key))
  }

  get(key: unknown): unknown {
    return this.#entries.get(hashKey(key))?.[1]
  }

  /** An existing key keeps its place, as in Python. */
  set(key: unknown, value: unknown): void {
    const hash = hashKey(key)
    const existing = this.#entries.get(hash)
    if (existing === undefined) this.#entries.set(hash, [key, value])
    else existing[1] = value
  }

  keys(): unknown[] {
    return Array.from(this.#entries.values(), ([key]) => key)
  }

  entries(): [unknown, unknown][] {
    return Array.from(this.#entries.values(), ([key, value]): [unknown, unknown] => [key, value])
  }
}

export type AnyDict = Dict | Readonly<Record<string, unknown>>

export const isDict = (value: unknown): value is AnyDict => value instanceof Dict || isPlainObject(value)

const startsWithNumber = (key: string): boolean => /^(0|[1-9]\d*)$/.test(key)

/** JavaScript moves keys that are numbers to the front, so their original order is not known. */
const keysOfObject = (object: Readonly<Record<string, unknown>>): string[] => {
  const keys = Object.keys(object)
  spendItems(keys.length)
  if (keys.length > 1 && startsWithNumber(keys[0]!))
    throw new UnsupportedTemplate('the order of a dictionary with numbers as keys')
  return keys
}

export const dictSize = (dict: AnyDict): number =>
  dict instanceof Dict ? dict.size : Object.keys(dict).length

export const dictKeys = (dict: AnyDict): unknown[] => {
  if (!(dict instanceof Dict)) return keysOfObject(dict)
  spendItems(dict.size)
  return dict.keys()
}

export const dictEntries = (dict: AnyDict): [unknown, unknown][] => {
  if (!(dict instanceof Dict)) return keysOfObject(dict).map((key) => [key, dict[key] ?? null])
  spendItems(dict.size)
  return dict.entries()
}

export const dictHas = (dict: AnyDict, key: unknown): boolean => {
  if (dict instanceof Dict) return dict.has(key)
  if (typeof key === 'string') return Object.hasOwn(dict, key)
  if (isString(key)) return Object.hasOwn(dict, plainCharactersOf(key))
  checkHashable(key)
  return false
}

/** Returns undefined if the key is missing. */
export const dictGet = (dict: AnyDict, key: unknown): unknown => {
  if (!dictHas(dict, key)) return undefined
  if (dict instanceof Dict) return dict.get(key)
  return memberOf(dict, plainCharactersOf(key as string)) ?? null
}

export const copyDict = (dict: AnyDict): Dict => Dict.of(dictEntries(dict))

/** `d.keys()`, `d.values()` and `d.items()`. */
export class DictView {
  readonly kind: 'keys' | 'values' | 'items'
  readonly dict: AnyDict

  constructor(kind: 'keys' | 'values' | 'items', dict: AnyDict) {
    this.kind = kind
    this.dict = dict
  }

  get pythonType(): string {
    return `dict_${this.kind}`
  }

  items(): unknown[] {
    if (this.kind === 'keys') return dictKeys(this.dict)
    const entries = dictEntries(this.dict)
    return this.kind === 'values'
      ? entries.map(([, value]) => value)
      : entries.map((entry) => new Tuple(entry))
  }
}
