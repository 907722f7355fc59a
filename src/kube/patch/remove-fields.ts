/** A value without the fields of a set. */
import { setMember } from '../../kit/index.ts'
import type { FieldSet } from '../meta/index.ts'
import type { Schema } from '../schema/index.ts'
import { elementMember } from './field-member.ts'
import { LEAF, sorted, within } from './field-set.ts'
import { isLeaf } from './is-leaf.ts'
import { isPlainObject } from './plain-object.ts'
import { schemaOfMember } from './schema-of-member.ts'

/** What is left of the value, or undefined when nothing is; the same value when nothing is taken. */
export const removeFields = (schema: Schema, value: unknown, doomed: FieldSet): unknown => {
  if (isLeaf(schema, value, value)) return Array.isArray(value) || isPlainObject(value) ? undefined : value
  if (schema.type === 'list') {
    const list = value as readonly unknown[]
    const kept = list.flatMap((element) => {
      const left = keepMember(schema.items, element, doomed, elementMember(schema, element) ?? '')
      return left === undefined ? [] : [left]
    })
    if (kept.length === 0) return undefined
    return kept.length === list.length && kept.every((element, at) => element === list[at]) ? value : kept
  }
  const object = value as Readonly<Record<string, unknown>>
  const kept: Record<string, unknown> = {}
  let changed = false
  for (const key of Object.keys(object)) {
    const left = keepMember(schemaOfMember(schema, key), object[key], doomed, `f:${key}`)
    if (left !== undefined) setMember(kept, key, left)
    if (left !== object[key]) changed = true
  }
  if (!changed) return value
  return Object.keys(kept).length === 0 ? undefined : kept
}

const keepMember = (schema: Schema, value: unknown, doomed: FieldSet, member: string): unknown => {
  const { itself, below } = within(doomed, member)
  if (itself) return undefined
  return below === undefined ? value : removeFields(schema, value, below)
}

/** The set with every declared field that has something below it in the set, too. */
export const withParents = (schema: Schema, set: FieldSet): FieldSet => {
  const result: FieldSet = {}
  for (const [member, node] of Object.entries(set)) {
    const name = member.slice(2)
    if (member === '.' || within(set, member).below === undefined) {
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
