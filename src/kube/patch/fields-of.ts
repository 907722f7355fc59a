/** All the fields that a value sets: what applying it makes its manager own. */
import type { FieldSet } from '../meta/index.ts'
import type { Schema } from '../schema/index.ts'
import { elementMember } from './field-member.ts'
import { LEAF, sorted, toNode } from './field-set.ts'
import { isWhole } from './is-leaf.ts'
import { isPlainObject } from './plain-object.ts'
import { schemaOfMember } from './schema-of-member.ts'

const isVoid = (value: unknown): boolean =>
  value === null || (isPlainObject(value) && Object.keys(value).length === 0)

/** Fields of a declared structure are owned through what is set in them; other containers also by themselves. */
const node = (schema: Schema, value: unknown, itself: boolean): FieldSet | undefined => {
  if (isVoid(value) || isWhole(schema, value)) return LEAF
  return toNode(fieldsOf(schema, value), itself)
}

/** The set of the fields in `value`, which is an object or a list of this schema. */
export const fieldsOf = (schema: Schema, value: unknown): FieldSet => {
  const result: FieldSet = {}
  if (schema.type === 'list' && Array.isArray(value)) {
    for (const element of value) {
      const member = elementMember(schema, element)
      if (member === undefined) continue
      // Elements that cannot be told apart are owned together, without what is in them.
      result[member] = member in result ? LEAF : node(schema.items, element, true)!
    }
  } else if (isPlainObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue
      const declared = schema.type === 'object' && schema.fields.has(key)
      const child = node(schemaOfMember(schema, key), value[key], !declared)
      if (child !== undefined) result[`f:${key}`] = child
    }
  }
  return sorted(result)
}
