/** The parameter `attribute` of filters: a path such as `metadata.labels.app` or `0.name`. */
import { getItem } from '../methods/items.ts'
import { Undefined } from '../python/undefined.ts'
import { isString, plainCharactersOf } from '../python/value.ts'

type Getter = (item: unknown) => unknown

/** Returns strings in lower case, and other values unchanged. */
export const ignoreCase = (value: unknown): unknown =>
  isString(value) ? plainCharactersOf(value).toLowerCase() : value

const partsOf = (attribute: unknown): unknown[] => {
  if (attribute === null) return []
  if (!isString(attribute)) return [attribute]
  return plainCharactersOf(attribute)
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** `fallback` replaces undefined values along the path, unless it is None. */
export const attributeGetter = (attribute: unknown, fallback: unknown = null): Getter => {
  const parts = partsOf(attribute)
  return (item) => {
    let value = item
    for (const part of parts) {
      value = getItem(value, part)
      if (fallback !== null && value instanceof Undefined) value = fallback
    }
    return value
  }
}

/** Returns the values of several comma-separated attributes, as `sort` accepts them. */
export const multiAttributeGetter = (attribute: unknown): ((item: unknown) => unknown[]) => {
  const names = isString(attribute) ? plainCharactersOf(attribute).split(',') : [attribute]
  const getters = names.map((name) => attributeGetter(name))
  return (item) => getters.map((getter) => getter(item))
}
