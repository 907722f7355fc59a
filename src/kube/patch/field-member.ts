/** The members of a field set: `f:name`, `k:{"name":"c"}`, `v:"value"`; how they are made, sorted and printed. */
import { memberOf } from '../../kit/index.ts'
import type { ListSchema } from '../schema/index.ts'
import { isPlainObject } from './plain-object.ts'

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Why an element of a mergeable list cannot be told from the others, or undefined when it can. */
export const unidentified = (list: ListSchema, element: unknown): string | undefined => {
  if (list.merge !== 'map') {
    if (isScalar(element)) return undefined
    if (Array.isArray(element)) return 'not supported: associative list with lists as elements'
    const what = element === null ? 'explicit null' : 'map type'
    return `associative list without keys has an element that's ${element === null ? 'an' : 'a'} ${what}`
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

/** The member that stands for an element of a mergeable list; undefined for an element that has no identity. */
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

const TYPES = ['number', 'string', 'boolean']

const compareValues = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === typeof b) return compareText(String(a), String(b))
  return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b)
}

const compareKeys = (a: string, b: string): number => {
  const [ours, theirs] = [Object.entries(JSON.parse(a)), Object.entries(JSON.parse(b))]
  for (const [at, [name, value]] of ours.entries()) {
    const other = theirs[at]
    if (other === undefined) return 1
    const difference = compareText(name, other[0]) || compareValues(value, other[1])
    if (difference !== 0) return difference
  }
  return ours.length - theirs.length
}

const KINDS = '.fkvi'

/** The order in which the real server writes members: the node itself, fields, keyed elements, values, indices. */
export const compareMembers = (a: string, b: string): number => {
  const kind = a[0]!
  if (kind !== b[0]) return KINDS.indexOf(kind) - KINDS.indexOf(b[0]!)
  if (kind === 'f') return compareText(a, b)
  if (kind === 'k') return compareKeys(a.slice(2), b.slice(2))
  return a === b ? 0 : compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)))
}

/** Whether the text is a member that this notation knows. */
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

/** `.spec`, `[name="c"]`, `[="value"]`: a member as a part of a path in messages. */
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
