/** The algebra of field sets in the FieldsV1 notation. Sets are never changed; unchanged parts are shared. */
import type { FieldSet } from '../meta/index.ts'
import { compareMembers, isMember, printMember } from './field-member.ts'
import { isPlainObject } from './plain-object.ts'

/**
 * A node below the root is itself in the set when it is empty or has the member `.`; the root stands for the
 * whole object, which nobody owns, so there an empty node is the empty set.
 */
export const LEAF: FieldSet = Object.freeze({})
export const NO_FIELDS: FieldSet = Object.freeze({})

export const isEmpty = (set: FieldSet): boolean => {
  for (const _ in set) return false
  return true
}

const holdsItself = (node: FieldSet): boolean => '.' in node || isEmpty(node)

/** A node with these children that is itself in the set or not; undefined when there is nothing in it. */
export const toNode = (children: FieldSet, itself: boolean): FieldSet | undefined => {
  if (isEmpty(children)) return itself ? LEAF : undefined
  return itself ? { '.': LEAF, ...children } : children
}

export const sorted = (node: FieldSet): FieldSet => {
  const keys = Object.keys(node)
  if (keys.every((key, at) => at === 0 || compareMembers(keys[at - 1]!, key) < 0)) return node
  const result: FieldSet = {}
  for (const key of keys.sort(compareMembers)) result[key] = node[key]!
  return result
}

const unionNodes = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b) return a
  if (isEmpty(b)) return holdsItself(a) ? a : { '.': LEAF, ...a }
  if (isEmpty(a)) return holdsItself(b) ? b : { '.': LEAF, ...b }
  return unionChildren(a, b)
}

const unionChildren = (a: FieldSet, b: FieldSet): FieldSet => {
  let result: FieldSet | undefined
  let added = false
  for (const key in b) {
    const [ours, theirs] = [a[key], b[key]!]
    const merged = ours === undefined ? theirs : key === '.' ? ours : unionNodes(ours, theirs)
    if (merged === ours) continue
    result ??= { ...a }
    result[key] = merged
    added ||= ours === undefined
  }
  if (result === undefined) return a
  return added ? sorted(result) : result
}

/** Everything in either set. */
export const union = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) ? b : isEmpty(b) ? a : unionChildren(a, b)

/** The node with the children that `keep` gives for them, itself in the set or not. */
const filterNode = (
  node: FieldSet,
  itself: boolean,
  keep: (child: FieldSet, key: string) => FieldSet | undefined,
): FieldSet | undefined => {
  const children: FieldSet = {}
  let changed = itself !== holdsItself(node)
  for (const key in node) {
    if (key === '.') continue
    const kept = keep(node[key]!, key)
    if (kept !== undefined) children[key] = kept
    if (kept !== node[key]) changed = true
  }
  return changed ? toNode(children, itself) : node
}

const differenceNodes = (a: FieldSet, b: FieldSet, itself: boolean): FieldSet | undefined =>
  filterNode(a, itself, (child, key) => {
    const other = b[key]
    return other === undefined
      ? child
      : differenceNodes(child, other, holdsItself(child) && !holdsItself(other))
  })

/** What is in `a` and not in `b`. A field of `a` stays when `b` holds only its parent. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? a : (differenceNodes(a, b, false) ?? NO_FIELDS)

const deepDifferenceNodes = (a: FieldSet, b: FieldSet, itself: boolean): FieldSet | undefined =>
  filterNode(a, itself, (child, key) => {
    const other = b[key]
    if (other === undefined) return child
    return holdsItself(other) ? undefined : deepDifferenceNodes(child, other, holdsItself(child))
  })

/** What is in `a` and neither in `b` nor below a field of `b`. */
export const deepDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? a : (deepDifferenceNodes(a, b, false) ?? NO_FIELDS)

const intersectionNodes = (a: FieldSet, b: FieldSet, itself: boolean): FieldSet | undefined =>
  filterNode(a, itself, (child, key) => {
    const other = b[key]
    if (other === undefined) return undefined
    return intersectionNodes(child, other, holdsItself(child) && holdsItself(other))
  })

/** What is in both sets. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? NO_FIELDS : (intersectionNodes(a, b, false) ?? NO_FIELDS)

/** The child of a set that stands for one member: what of it is in the set, if anything. */
export const within = (set: FieldSet, member: string): { itself: boolean; below: FieldSet | undefined } => {
  const node = set[member]
  if (node === undefined) return { itself: false, below: undefined }
  return { itself: holdsItself(node), below: isEmpty(node) ? undefined : node }
}

/** Every field of the set as a path: `.spec.containers[name="c"].image`, parents before their children. */
export const listPaths = (set: FieldSet, prefix = ''): string[] => {
  const members = Object.keys(set).filter((key) => key !== '.')
  const own = members.filter((key) => holdsItself(set[key]!)).map((key) => prefix + printMember(key))
  return [...own, ...members.flatMap((key) => listPaths(set[key]!, prefix + printMember(key)))]
}

/** Reads a set that a client sent; undefined when it is not one. Members of unknown kinds are dropped. */
export const parseFieldSet = (value: unknown): FieldSet | undefined => {
  if (!isPlainObject(value)) return undefined
  const result: FieldSet = {}
  for (const [key, child] of Object.entries(value)) {
    if (key === '.') {
      result[key] = LEAF
      continue
    }
    if (key.length < 2 || key[1] !== ':') return undefined
    if (!'fkvi'.includes(key[0]!)) continue
    const node = parseFieldSet(child)
    if (node === undefined || !isMember(key)) return undefined
    result[key] = node
  }
  return sorted(result)
}
