/** Merges an applied configuration into the live object. Applied values win; nothing is removed. */
import { deepEqual, memberOf, setMember } from '#kit'
import type { ListSchema, Schema } from '#platform/kube/schema'
import { elementMember } from './field-member.ts'
import { isEmptyValue, isLeaf } from './is-leaf.ts'
import { schemaOfMember } from './schema-of-member.ts'

type Json = Readonly<Record<string, unknown>>

/** Returns the merged value. It shares unchanged parts with `live`. */
export const mergeApplied = (schema: Schema, live: unknown, applied: unknown): unknown => {
  if (applied === undefined || live === applied) return live
  if (live === undefined) return applied
  if (isLeaf(schema, live, applied)) return deepEqual(live, applied) ? live : applied
  if (schema.type === 'list') {
    return mergeLists(schema, (live ?? []) as unknown[], (applied ?? []) as unknown[])
  }
  return mergeObjects(schema, (live ?? {}) as Json, (applied ?? {}) as Json)
}

/** Whether Go drops this value, so that setting it changes nothing. */
const isDropped = (schema: Schema, key: string, value: unknown): boolean => {
  const zero = schema.type === 'object' ? schema.goFields?.get(key)?.zero : undefined
  return (zero !== undefined && value === null) || (zero === 'drop' && isEmptyValue(value))
}

const mergeObjects = (schema: Schema, live: Json, applied: Json): Json => {
  let merged: Record<string, unknown> | undefined
  for (const key of Object.keys(applied)) {
    const current = memberOf(live, key)
    const value = mergeApplied(schemaOfMember(schema, key), current, applied[key])
    if (value === current || (current === undefined && isDropped(schema, key, value))) continue
    merged ??= { ...live }
    setMember(merged, key, value)
  }
  return merged ?? live
}

interface KeyedElement {
  member: string
  value: unknown
}

const toKeyed = (list: ListSchema, elements: readonly unknown[]): KeyedElement[] =>
  elements.flatMap((value) => {
    const member = elementMember(list, value)
    return member === undefined ? [] : [{ member, value }]
  })

/** Lists the live elements. Of several with the key of one applied element, only the first is listed. */
const keyedLive = (
  list: ListSchema,
  live: readonly unknown[],
  appliedMembers: ReadonlySet<string>,
): KeyedElement[] => {
  const seen = new Set<string>()
  return toKeyed(list, live).filter(({ member }) => {
    const isDuplicate = appliedMembers.has(member) && seen.has(member)
    seen.add(member)
    return !isDuplicate
  })
}

/** The applied order wins. Elements that only `live` has keep their position relative to the shared ones. */
const mergeLists = (list: ListSchema, live: readonly unknown[], applied: readonly unknown[]): unknown => {
  const appliedElements = toKeyed(list, applied)
  const appliedMembers = new Set(appliedElements.map(({ member }) => member))
  const liveElements = keyedLive(list, live, appliedMembers)
  const liveValues = new Map(liveElements.map(({ member, value }) => [member, value]))
  const shared = appliedElements.filter(({ member }) => liveValues.has(member)).map(({ member }) => member)

  const merged: unknown[] = []
  let [left, right] = [0, 0]
  while (left < liveElements.length || right < appliedElements.length) {
    const liveElement = liveElements[left]
    const appliedElement = appliedElements[right]
    if (liveElement !== undefined && !appliedMembers.has(liveElement.member)) {
      merged.push(liveElement.value)
      left += 1
    } else if (
      liveElement !== undefined &&
      appliedElement !== undefined &&
      liveElement.member !== appliedElement.member &&
      shared[0] !== liveElement.member
    ) {
      // Both lists have the element, but another one comes first in the applied order.
      left += 1
    } else if (appliedElement !== undefined) {
      merged.push(mergeApplied(list.items, liveValues.get(appliedElement.member), appliedElement.value))
      if (liveElement?.member === appliedElement.member) left += 1
      if (shared[0] === appliedElement.member) shared.shift()
      right += 1
    } else {
      left += 1
    }
  }
  const isUnchanged =
    merged.length === live.length && merged.every((element, index) => element === live[index])
  return isUnchanged ? live : merged
}
