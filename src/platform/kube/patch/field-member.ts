/** Creates, sorts and prints the members of a field set: `f:name`, `k:{"name":"c"}`, `v:"value"`. */
import { isPlainObject, memberOf } from '#kit'
import type { ListSchema } from '#platform/kube/schema'

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Explains why an element of a mergeable list has no identity; undefined if it has one. */
export const explainMissingKey = (list: ListSchema, element: unknown): string | undefined => {
  if (list.merge !== 'map') {
    if (isScalar(element)) return undefined
    if (Array.isArray(element)) return 'not supported: associative list with lists as elements'
    const description = element === null ? 'explicit null' : 'map type'
    return `associative list without keys has an element that's ${element === null ? 'an' : 'a'} ${description}`
  }
  if (element === null) return 'associative list with keys may not have a null element'
  if (!isPlainObject(element)) return 'associative list with keys may not have non-map elements'
  const missing = list.keys.find(
    (key) => (memberOf(element, key) ?? memberOf(list.keyDefaults, key)) === undefined,
  )
  if (missing === undefined) return undefined
  const omitted = `an element that omits key field ${JSON.stringify(missing)}`
  return `associative list with keys has ${omitted} (and doesn't have default value)`
}

/** Returns the member of a list element; undefined if the element has no identity. */
export const elementMember = (list: ListSchema, element: unknown): string | undefined => {
  if (list.merge !== 'map') return isScalar(element) ? `v:${JSON.stringify(element)}` : undefined
  if (!isPlainObject(element)) return undefined
  let text = ''
  for (const key of list.keys.length === 1 ? list.keys : list.keys.toSorted()) {
    const value = memberOf(element, key) ?? memberOf(list.keyDefaults, key)
    if (value === undefined) return undefined
    text += `${text === '' ? '' : ','}"${key}":${JSON.stringify(value)}`
  }
  return `k:{${text}}`
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const TYPE_ORDER = ['number', 'string', 'boolean']

const compareValues = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === typeof b) return compareText(String(a), String(b))
  return TYPE_ORDER.indexOf(typeof a) - TYPE_ORDER.indexOf(typeof b)
}

const compareKeys = (a: string, b: string): number => {
  const [left, right] = [Object.entries(JSON.parse(a)), Object.entries(JSON.parse(b))]
  for (const [index, [name, value]] of left.entries()) {
    const rightEntry = right[index]
    if (rightEntry === undefined) return 1
    const difference = compareText(name, rightEntry[0]) || compareValues(value, rightEntry[1])
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const KIND_ORDER = '.fkvi'

/** Orders members as kube-apiserver does: the node itself, fields, keyed elements, values, indexes. */
export const compareMembers = (a: string, b: string): number => {
  const kind = a[0]!
  if (kind !== b[0]) return KIND_ORDER.indexOf(kind) - KIND_ORDER.indexOf(b[0]!)
  if (kind === 'f') return compareText(a, b)
  if (kind === 'k') return compareKeys(a.slice(2), b.slice(2))
  return a === b ? 0 : compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)))
}

/** Whether the text is a valid member. */
export const isMember = (text: string): boolean => {
  if (text[1] !== ':') return false
  const [kind, rest] = [text[0], text.slice(2)]
  if (kind === 'f') return true
  if (kind === 'i') return /^-?\d+$/.test(rest)
  try {
    const value = JSON.parse(rest)
    return kind === 'v' ? isScalar(value) : kind === 'k' && isPlainObject(value)
  } catch {
    return false
  }
}

/** Formats a member as part of a path: `.spec`, `[name="c"]`, `[="value"]`. */
export const printMember = (member: string): string => {
  const rest = member.slice(2)
  switch (member[0]) {
    case 'f':
      return `.${rest}`
    case 'k':
      return `[${Object.entries(JSON.parse(rest))
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${rest}]`
    default:
      return `[${rest}]`
  }
}
