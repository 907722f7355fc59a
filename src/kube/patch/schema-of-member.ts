/** The schema of one member of an object or map. */
import type { MapSchema, Schema } from '../schema/index.ts'

/** Values nobody described: objects are merged member by member, everything else is a leaf. */
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
