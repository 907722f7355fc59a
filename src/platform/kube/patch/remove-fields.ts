/** Removes the fields of a set from a value. */
import { isPlainObject, setMember } from '#kit'
import type { FieldSet } from '#platform/kube/meta'
import type { Schema } from '#platform/kube/schema'
import { elementMember } from './field-member.ts'
import { LEAF, selectMember, sorted } from './field-set.ts'
import { isLeaf } from './is-leaf.ts'
import { schemaOfMember } from './schema-of-member.ts'

/** Returns the value without the fields of `removed`; undefined if nothing is left; the same value if unchanged. */
export const removeFields = (schema: Schema, value: unknown, removed: FieldSet): unknown => {
  if (isLeaf(schema, value, value)) return Array.isArray(value) || isPlainObject(value) ? undefined : value
  if (schema.type === 'list') {
    const list = value as readonly unknown[]
    const kept = list.flatMap((element) => {
      const remaining = keepMember(schema.items, element, removed, elementMember(schema, element) ?? '')
      return remaining === undefined ? [] : [remaining]
    })
    if (kept.length === 0) return undefined
    const isUnchanged = kept.length === list.length && kept.every((element, index) => element === list[index])
    return isUnchanged ? value : kept
  }
  const object = value as Readonly<Record<string, unknown>>
  const kept: Record<string, unknown> = {}
  let changed = false
  for (const key of Object.keys(object)) {
    const remaining = keepMember(schemaOfMember(schema, key), object[key], removed, `f:${key}`)
    if (remaining !== undefined) setMember(kept, key, remaining)
    if (remaining !== object[key]) changed = true
  }
  if (!changed) return value
  return Object.keys(kept).length === 0 ? undefined : kept
}

const keepMember = (schema: Schema, value: unknown, removed: FieldSet, member: string): unknown => {
  const { itself, below } = selectMember(removed, member)
  if (itself) return undefined
  return below === undefined ? value : removeFields(schema, value, below)
}

/** Returns the set with the declared parents of its fields added. */
export const withParents = (schema: Schema, set: FieldSet): FieldSet => {
  const result: FieldSet = {}
  for (const [member, node] of Object.entries(set)) {
    const name = member.slice(2)
    if (member === '.' || selectMember(set, member).below === undefined) {
      result[member] = node
      continue
    }
    const child =
      member[0] === 'f' ? schemaOfMember(schema, name) : schema.type === 'list' ? schema.items : schema
    const below = withParents(child, node)
    const declared = member[0] === 'f' && schema.type === 'object' && schema.fields.has(name)
    result[member] = declared ? { '.': LEAF, ...below } : below
  }
  return sorted(result)
}
