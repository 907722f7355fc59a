/** What the decoder needs of an object's schema, worked out once for each. */
import type { ObjectSchema, Schema } from './schema.ts'

interface PlannedField {
  readonly schema: Schema
  readonly goType: string
  readonly dropZero: boolean
  /** A custom resource may store null where its schema allows it; Go's types cannot. */
  readonly keepsNull: boolean
}

interface ObjectPlan {
  /** Go's name of the struct, if there is one. */
  readonly struct: string | undefined
  readonly fields: ReadonlyMap<string, PlannedField>
  /** Fields that are there even when nothing was sent. */
  readonly filled: readonly (readonly [string, Schema])[]
}

const plans = new WeakMap<ObjectSchema, ObjectPlan>()

const makePlan = (schema: ObjectSchema): ObjectPlan => {
  const fields = new Map<string, PlannedField>()
  const filled: [string, Schema][] = []
  for (const [name, fieldSchema] of schema.fields) {
    const go = schema.goFields?.get(name)
    fields.set(name, {
      schema: fieldSchema,
      goType: go?.type ?? fieldSchema.type,
      dropZero: go?.zero === 'drop',
      keepsNull: go === undefined && 'nullable' in fieldSchema && fieldSchema.nullable === true,
    })
    if (go?.zero === 'fill') filled.push([name, fieldSchema])
  }
  return {
    struct: schema.goFields === undefined ? undefined : schema.name?.split('.').at(-1),
    fields,
    filled,
  }
}

export const objectPlan = (schema: ObjectSchema): ObjectPlan => {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const made = makePlan(schema)
  plans.set(schema, made)
  return made
}
