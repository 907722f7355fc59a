/** The OpenAPI definitions of custom resources, from the schema that their definition gives. */

import type { OpenApiGroupVersion, OpenApiResource } from './openapi-resource.ts'
import { type Dialect, type Json, refTo } from './openapi-schema.ts'
import type { GroupVersionKind } from './schema.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'

/** `stable.example.com/v1 CronTab` is `com.example.stable.v1.CronTab`. */
export const customName = ({ group, version, kind }: GroupVersionKind): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (json: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [key, change(value)]))

/** Version 2 cannot say "or null", choices between schemas, or conditions: what it cannot say it leaves open. */
const toVersion2 = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema
  const { nullable, oneOf, anyOf, allOf, not, ...kept } = schema
  if (nullable === true || kept['x-kubernetes-int-or-string'] === true) {
    const { type, properties, items, additionalProperties, ...open } = kept
    return open
  }
  if (kept['x-kubernetes-preserve-unknown-fields'] === true) delete kept.properties
  if (isObject(kept.properties)) kept.properties = mapValues(kept.properties, toVersion2)
  if (kept.items !== undefined) kept.items = toVersion2(kept.items)
  if (isObject(kept.additionalProperties)) kept.additionalProperties = toVersion2(kept.additionalProperties)
  return kept
}

const identity: Json = { apiVersion: { type: 'string' }, kind: { type: 'string' } }

const fieldRef = (name: string, dialect: Dialect): Json =>
  dialect === 'v2' ? refTo(name, dialect) : { allOf: [refTo(name, dialect)] }

const marked = ({ group, version, kind }: GroupVersionKind): Json => ({
  'x-kubernetes-group-version-kind': [{ group, kind, version }],
})

const objectDefinition = (resource: OpenApiResource, gvk: GroupVersionKind, dialect: Dialect): Json => {
  const given = dialect === 'v2' ? toVersion2(resource.schema) : resource.schema
  const schema = isObject(given) ? given : { 'x-kubernetes-preserve-unknown-fields': true }
  return {
    ...schema,
    type: 'object',
    properties: {
      ...(isObject(schema.properties) ? schema.properties : {}),
      ...identity,
      metadata: fieldRef(`${META}ObjectMeta`, dialect),
    },
    ...marked(gvk),
  }
}

const listDefinition = (gvk: GroupVersionKind, dialect: Dialect): Json => ({
  type: 'object',
  required: ['items'],
  properties: {
    ...identity,
    items: { type: 'array', items: refTo(customName(gvk), dialect) },
    metadata: fieldRef(`${META}ListMeta`, dialect),
  },
  ...marked({ ...gvk, kind: `${gvk.kind}List` }),
})

/** By name: each custom resource of the group version, and its list. */
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
