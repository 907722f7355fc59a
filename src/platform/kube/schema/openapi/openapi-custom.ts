/** The OpenAPI definitions of custom resources, from the schema in their CustomResourceDefinition. */
import { isPlainObject } from '#kit'
import type { GroupVersionKind } from '../schema.ts'
import type { OpenApiGroupVersion, OpenApiResource } from './openapi-resource.ts'
import { type Dialect, type Json, refTo } from './openapi-schema.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'

/** Returns the definition name: `com.example.stable.v1.CronTab` for `stable.example.com/v1 CronTab`. */
export const customName = ({ group, version, kind }: GroupVersionKind): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`

const mapValues = (json: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [key, change(value)]))

/** Removes the parts that OpenAPI version 2 cannot express: nullable values, alternatives and conditions. */
const toVersion2 = (schema: unknown): unknown => {
  if (!isPlainObject(schema)) return schema
  const { nullable, oneOf, anyOf, allOf, not, ...supported } = schema
  if (nullable === true || supported['x-kubernetes-int-or-string'] === true) {
    const { type, properties, items, additionalProperties, ...untyped } = supported
    return untyped
  }
  if (supported['x-kubernetes-preserve-unknown-fields'] === true) delete supported.properties
  if (isPlainObject(supported.properties)) supported.properties = mapValues(supported.properties, toVersion2)
  if (supported.items !== undefined) supported.items = toVersion2(supported.items)
  if (isPlainObject(supported.additionalProperties))
    supported.additionalProperties = toVersion2(supported.additionalProperties)
  return supported
}

const TYPE_FIELDS: Json = { apiVersion: { type: 'string' }, kind: { type: 'string' } }

const fieldRef = (name: string, dialect: Dialect): Json =>
  dialect === 'v2' ? refTo(name, dialect) : { allOf: [refTo(name, dialect)] }

const gvkExtension = ({ group, version, kind }: GroupVersionKind): Json => ({
  'x-kubernetes-group-version-kind': [{ group, kind, version }],
})

/** OpenAPI version 2 does not list the fields that field selectors can name. */
const selectableFieldsExtension = ({ selectableFields = [] }: OpenApiResource, dialect: Dialect): Json =>
  dialect === 'v2' || selectableFields.length === 0
    ? {}
    : { 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) }

const objectDefinition = (resource: OpenApiResource, gvk: GroupVersionKind, dialect: Dialect): Json => {
  const converted = dialect === 'v2' ? toVersion2(resource.schema) : resource.schema
  const schema = isPlainObject(converted) ? converted : { 'x-kubernetes-preserve-unknown-fields': true }
  return {
    ...schema,
    type: 'object',
    properties: {
      ...(isPlainObject(schema.properties) ? schema.properties : {}),
      ...TYPE_FIELDS,
      metadata: fieldRef(`${META}ObjectMeta`, dialect),
    },
    ...gvkExtension(gvk),
    ...selectableFieldsExtension(resource, dialect),
  }
}

const listDefinition = (gvk: GroupVersionKind, dialect: Dialect): Json => ({
  type: 'object',
  required: ['items'],
  properties: {
    ...TYPE_FIELDS,
    items: { type: 'array', items: refTo(customName(gvk), dialect) },
    metadata: fieldRef(`${META}ListMeta`, dialect),
  },
  ...gvkExtension({ ...gvk, kind: `${gvk.kind}List` }),
})

/** Returns the definitions of each custom resource of the group version and of its list, by name. */
export const customDefinitions = (
  { group, version, resources }: OpenApiGroupVersion,
  dialect: Dialect,
): Json =>
  Object.fromEntries(
    resources
      .filter(({ schema }) => schema !== undefined)
      .flatMap((resource) => {
        const gvk = { group, version, kind: resource.kind }
        return [
          [customName(gvk), objectDefinition(resource, gvk, dialect)],
          [`${customName(gvk)}List`, listDefinition(gvk, dialect)],
        ]
      }),
  )
