/** Finds the schema of a member of an object or map. */
import type { MapSchema, Schema } from '#platform/kube/schema'

/** The schema of undescribed values: objects are merged by member; other values are leaves. */
export const UNDESCRIBED: MapSchema = {
  type: 'map',
  get values() {
    return UNDESCRIBED
  },
}

export const schemaOfMember = (schema: Schema, name: string): Schema => {
  if (schema.type === 'object') return schema.fields.get(name) ?? UNDESCRIBED
  return schema.type === 'map' ? schema.values : UNDESCRIBED
}
