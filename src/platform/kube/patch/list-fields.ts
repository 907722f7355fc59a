/** Lists the fields that a value sets. Its applier becomes their owner. */
import { isPlainObject } from '#kit'
import type { FieldSet } from '#platform/kube/meta'
import type { Schema } from '#platform/kube/schema'
import { elementMember } from './field-member.ts'
import { LEAF, sorted, toNode } from './field-set.ts'
import { isWhole } from './is-leaf.ts'
import { schemaOfMember } from './schema-of-member.ts'

const isNullOrEmptyObject = (value: unknown): boolean =>
  value === null || (isPlainObject(value) && Object.keys(value).length === 0)

/** A declared struct is owned through its fields only; other containers are in the set themselves (`itself`). */
const toFieldNode = (schema: Schema, value: unknown, itself: boolean): FieldSet | undefined => {
  if (isNullOrEmptyObject(value) || isWhole(schema, value)) return LEAF
  return toNode(listFields(schema, value), itself)
}

/** Returns the fields in `value`, an object or list of this schema. */
export const listFields = (schema: Schema, value: unknown): FieldSet => {
  const result: FieldSet = {}
  if (schema.type === 'list' && Array.isArray(value)) {
    for (const element of value) {
      const member = elementMember(schema, element)
      if (member === undefined) continue
      // Elements with the same key are owned as one, without their fields.
      result[member] = member in result ? LEAF : toFieldNode(schema.items, element, true)!
    }
  } else if (isPlainObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue
      const declared = schema.type === 'object' && schema.fields.has(key)
      const child = toFieldNode(schemaOfMember(schema, key), value[key], !declared)
      if (child !== undefined) result[`f:${key}`] = child
    }
  }
  return sorted(result)
}
