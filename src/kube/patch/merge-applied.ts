/** Merges an applied configuration into the live object: nothing is removed, what both set is taken from it. */
import { deepEqual, memberOf, setMember } from '../../kit/index.ts'
import type { ListSchema, Schema } from '../schema/index.ts'
import { elementMember } from './field-member.ts'
import { isHollow, isLeaf } from './is-leaf.ts'
import { schemaOfMember } from './schema-of-member.ts'

type Json = Readonly<Record<string, unknown>>

/** The merged value; parts that stay as they are live are shared with the live one. */
export const mergeApplied = (schema: Schema, live: unknown, applied: unknown): unknown => {
  if (applied === undefined || live === applied) return live
  if (live === undefined) return applied
  if (isLeaf(schema, live, applied)) return deepEqual(live, applied) ? live : applied
  if (schema.type === 'list') {
    return mergeLists(schema, (live ?? []) as unknown[], (applied ?? []) as unknown[])
  }
  return mergeObjects(schema, (live ?? {}) as Json, (applied ?? {}) as Json)
}

/** Whether the server's typed objects cannot hold this value, so that setting it changes nothing. */
const isLost = (schema: Schema, key: string, value: unknown): boolean => {
  const zero = schema.type === 'object' ? schema.goFields?.get(key)?.zero : undefined
  return (zero !== undefined && value === null) || (zero === 'drop' && isHollow(value))
}

const mergeObjects = (schema: Schema, live: Json, applied: Json): Json => {
  let merged: Record<string, unknown> | undefined
  for (const key of Object.keys(applied)) {
    const current = memberOf(live, key)
    const value = mergeApplied(schemaOfMember(schema, key), current, applied[key])
    if (value === current || (current === undefined && isLost(schema, key, value))) continue
    merged ??= { ...live }
    setMember(merged, key, value)
  }
  return merged ?? live
}

interface Keyed {
  member: string
  value: unknown
}

const keyed = (list: ListSchema, elements: readonly unknown[]): Keyed[] =>
  elements.flatMap((value) => {
    const member = elementMember(list, value)
    return member === undefined ? [] : [{ member, value }]
  })

/** Elements that only live has stay where they are among those that both have; the applied order goes first. */
const mergeLists = (list: ListSchema, live: readonly unknown[], applied: readonly unknown[]): unknown => {
  const theirs = keyed(list, applied)
  const applying = new Set(theirs.map(({ member }) => member))
  const first = new Set<string>()
  const ours = keyed(list, live).filter(({ member }) => {
    const twin = applying.has(member) && first.has(member)
    first.add(member)
    return !twin
  })
  const liveValues = new Map(ours.map(({ member, value }) => [member, value]))
  const shared = theirs.filter(({ member }) => liveValues.has(member)).map(({ member }) => member)

  const merged: unknown[] = []
  let [left, right] = [0, 0]
  while (left < ours.length || right < theirs.length) {
    const our = ours[left]
    const their = theirs[right]
    if (our !== undefined && !applying.has(our.member)) {
      merged.push(our.value)
      left += 1
    } else if (
      our !== undefined &&
      their !== undefined &&
      our.member !== their.member &&
      shared[0] !== our.member
    ) {
      // Both have it, but the applied order wants another one first.
      left += 1
    } else if (their !== undefined) {
      merged.push(mergeApplied(list.items, liveValues.get(their.member), their.value))
      if (our?.member === their.member) left += 1
      if (shared[0] === their.member) shared.shift()
      right += 1
    } else {
      left += 1
    }
  }
  const same = merged.length === live.length && merged.every((element, at) => element === live[at])
  return same ? live : merged
}
