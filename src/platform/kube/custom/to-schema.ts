/** Converts the schema of a custom resource to the form that decoding, patching and apply use. */
import { defined, memberOf } from '#kit'
import type { JsonSchema } from '#platform/kube/kinds'
import {
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  type Schema,
  schemaOf,
} from '#platform/kube/schema'

const ANY: Schema = { type: 'any' }
const TEXT: Schema = { type: 'string' }

/** Returns the metadata schema of a built-in kind; it is the same for all kinds. */
const metadataSchema = (): Schema =>
  schemaOf({ group: '', version: 'v1', kind: 'ConfigMap' })?.fields.get('metadata') ?? ANY

const defaultsOf = (items: JsonSchema | undefined, keys: readonly string[]): Record<string, unknown> => {
  const pairs = keys.map((key) => [key, memberOf(items?.properties, key)?.default] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}

const toList = (schema: JsonSchema): ListSchema => {
  const merge = schema['x-kubernetes-list-type'] ?? 'atomic'
  const keys = merge === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []
  const keyDefaults = defaultsOf(schema.items, keys)
  return {
    type: 'list',
    items: schema.items === undefined ? ANY : toValue(schema.items),
    merge,
    keys,
    ...(Object.keys(keyDefaults).length === 0 ? {} : { keyDefaults }),
  }
}

const toObject = (schema: JsonSchema): ObjectSchema => {
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const fields = new Map(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, toValue(property)]),
  )
  return {
    type: 'object',
    fields,
    required: schema.required ?? [],
    ...(schema['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {}),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true ? { preserveUnknown: true } : {}),
    ...(embedded ? { embedded: true } : {}),
  }
}

const toMap = (schema: JsonSchema): MapSchema => ({
  type: 'map',
  values: typeof schema.additionalProperties === 'object' ? toValue(schema.additionalProperties) : ANY,
  ...(schema['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {}),
})

const toScalar = (schema: JsonSchema): Schema => {
  const format = defined({ format: schema.format })
  switch (schema.type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: schema.type, ...format }
    default:
      return ANY
  }
}

const toShape = (schema: JsonSchema): Schema => {
  if (schema['x-kubernetes-int-or-string'] === true) return { type: 'int-or-string' }
  if (schema.type === 'array') return toList(schema)
  if (schema.type !== 'object') return toScalar(schema)
  return schema.additionalProperties === undefined ? toObject(schema) : toMap(schema)
}

const toValue = (schema: JsonSchema): Schema => {
  const shape = toShape(schema)
  return schema.nullable === true ? ({ ...shape, nullable: true } as Schema) : shape
}

/** Converts the `openAPIV3Schema` of a definition, which may omit apiVersion, kind and metadata. */
export const toSchema = (schema: JsonSchema): ObjectSchema => {
  const root = toObject(schema)
  return {
    ...root,
    fields: new Map([...root.fields, ['apiVersion', TEXT], ['kind', TEXT], ['metadata', metadataSchema()]]),
  }
}
