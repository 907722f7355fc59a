/** Set operations on field sets in the FieldsV1 notation. Sets are immutable; results share unchanged parts. */
import { isPlainObject } from '#kit'
import type { FieldSet } from '#platform/kube/meta'
import { compareMembers, isMember, printMember } from './field-member.ts'

/**
 * A node below the root is itself in the set if it is empty or has the member `.`. The root is the whole object, which
 * has no owner, so an empty root is the empty set.
 */
export const LEAF: FieldSet = Object.freeze({})
export const NO_FIELDS: FieldSet = Object.freeze({})

export const isEmpty = (set: FieldSet): boolean => {
  for (const _ in set) return false
  return true
}

const containsItself = (node: FieldSet): boolean => '.' in node || isEmpty(node)

/** Creates a node; `itself` says whether it is in the set. Returns undefined if neither it nor a child is. */
export const toNode = (children: FieldSet, itself: boolean): FieldSet | undefined => {
  if (isEmpty(children)) return itself ? LEAF : undefined
  return itself ? { '.': LEAF, ...children } : children
}

export const sorted = (node: FieldSet): FieldSet => {
  const keys = Object.keys(node)
  if (keys.every((key, index) => index === 0 || compareMembers(keys[index - 1]!, key) < 0)) return node
  const result: FieldSet = {}
  for (const key of keys.sort(compareMembers)) result[key] = node[key]!
  return result
}

const unionNodes = (a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b) return a
  if (isEmpty(b)) return containsItself(a) ? a : { '.': LEAF, ...a }
  if (isEmpty(a)) return containsItself(b) ? b : { '.': LEAF, ...b }
  return unionChildren(a, b)
}

const unionChildren = (a: FieldSet, b: FieldSet): FieldSet => {
  let result: FieldSet | undefined
  let added = false
  for (const key in b) {
    const [left, right] = [a[key], b[key]!]
    const merged = left === undefined ? right : key === '.' ? left : unionNodes(left, right)
    if (merged === left) continue
    result ??= { ...a }
    result[key] = merged
    added ||= left === undefined
  }
  if (result === undefined) return a
  return added ? sorted(result) : result
}

/** Returns the fields in either set. */
export const union = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) ? b : isEmpty(b) ? a : unionChildren(a, b)

/** Returns the node with each child replaced by the result of `keep`. `itself` says whether the node is in the set. */
const filterNode = (
  node: FieldSet,
  itself: boolean,
  keep: (child: FieldSet, key: string) => FieldSet | undefined,
): FieldSet | undefined => {
  const children: FieldSet = {}
  let changed = itself !== containsItself(node)
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
    const counterpart = b[key]
    return counterpart === undefined
      ? child
      : differenceNodes(child, counterpart, containsItself(child) && !containsItself(counterpart))
  })

/** Returns the fields in `a` that are not in `b`. A field stays if `b` has only its parent. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? a : (differenceNodes(a, b, false) ?? NO_FIELDS)

const deepDifferenceNodes = (a: FieldSet, b: FieldSet, itself: boolean): FieldSet | undefined =>
  filterNode(a, itself, (child, key) => {
    const counterpart = b[key]
    if (counterpart === undefined) return child
    return containsItself(counterpart)
      ? undefined
      : deepDifferenceNodes(child, counterpart, containsItself(child))
  })

/** Returns the fields in `a` that are neither in `b` nor below a field of `b`. */
export const deepDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? a : (deepDifferenceNodes(a, b, false) ?? NO_FIELDS)

const intersectionNodes = (a: FieldSet, b: FieldSet, itself: boolean): FieldSet | undefined =>
  filterNode(a, itself, (child, key) => {
    const counterpart = b[key]
    if (counterpart === undefined) return undefined
    return intersectionNodes(child, counterpart, containsItself(child) && containsItself(counterpart))
  })

/** Returns the fields in both sets. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet =>
  isEmpty(a) || isEmpty(b) ? NO_FIELDS : (intersectionNodes(a, b, false) ?? NO_FIELDS)

/** Returns whether a member is in the set, and the fields below it. */
export const selectMember = (
  set: FieldSet,
  member: string,
): { itself: boolean; below: FieldSet | undefined } => {
  const node = set[member]
  if (node === undefined) return { itself: false, below: undefined }
  return { itself: containsItself(node), below: isEmpty(node) ? undefined : node }
}

/** Returns the fields as paths, parents first: `.spec.containers[name="c"].image`. */
export const listPaths = (set: FieldSet, prefix = ''): string[] => {
  const members = Object.keys(set).filter((key) => key !== '.')
  const ownPaths = members.filter((key) => containsItself(set[key]!)).map((key) => prefix + printMember(key))
  return [...ownPaths, ...members.flatMap((key) => listPaths(set[key]!, prefix + printMember(key)))]
}

/** Parses a set that a client sent. Returns undefined if it is invalid. Drops unknown member types. */
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
