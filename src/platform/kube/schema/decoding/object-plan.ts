/** Precomputes the parts of an object schema that the decoder needs. Plans are cached. */
import type { ObjectSchema, Schema } from '../schema.ts'

interface PlannedField {
  readonly schema: Schema
  readonly goType: string
  readonly dropZero: boolean
  /** A custom resource can store null if its schema allows it. Go types cannot. */
  readonly keepsNull: boolean
}

interface ObjectPlan {
  /** The name of the Go struct; undefined in custom resources. */
  readonly struct: string | undefined
  readonly fields: ReadonlyMap<string, PlannedField>
  /** Fields that exist even if the client omits them. */
  readonly filled: readonly (readonly [string, Schema])[]
}

const plans = new WeakMap<ObjectSchema, ObjectPlan>()

const createPlan = (schema: ObjectSchema): ObjectPlan => {
  const fields = new Map<string, PlannedField>()
  const filled: [string, Schema][] = []
  for (const [name, fieldSchema] of schema.fields) {
    const goField = schema.goFields?.get(name)
    fields.set(name, {
      schema: fieldSchema,
      goType: goField?.type ?? fieldSchema.type,
      dropZero: goField?.zero === 'drop',
      keepsNull: goField === undefined && 'nullable' in fieldSchema && fieldSchema.nullable === true,
    })
    if (goField?.zero === 'fill') filled.push([name, fieldSchema])
  }
  return {
    struct: schema.goFields === undefined ? undefined : schema.name?.split('.').at(-1),
    fields,
    filled,
  }
}

export const planOf = (schema: ObjectSchema): ObjectPlan => {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const plan = createPlan(schema)
  plans.set(schema, plan)
  return plan
}
