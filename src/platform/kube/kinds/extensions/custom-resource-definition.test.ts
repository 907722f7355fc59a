/** Tests CustomResourceDefinitions: defaults, names, versions and schemas. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { customResourceDefinitions, type JsonSchema } from './custom-resource-definition.ts'

const version = (schema: JsonSchema | undefined, overrides: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema as never } }),
  ...overrides,
})

const definition = (spec: Partial<CustomResourceDefinitionSpec>, name = 'widgets.example.com') => {
  const draft: Stored<CustomResourceDefinition> = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, uid: '1', resourceVersion: '1', creationTimestamp: '' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version({ type: 'object' })],
      ...spec,
    },
    status: {},
  }
  customResourceDefinitions.defaults!(draft)
  customResourceDefinitions.prepareCreate!(draft, { now: 0 })
  return draft
}

const errorsOf = (
  object: Stored<CustomResourceDefinition>,
  old?: Stored<CustomResourceDefinition>,
): string[] => errorTexts(customResourceDefinitions.validate!(object, old))

const schemaErrors = (schema: JsonSchema): string[] => errorsOf(definition({ versions: [version(schema)] }))
const ROOT = 'spec.versions[0].schema.openAPIV3Schema'

describe('CustomResourceDefinition', () => {
  it('sets default names and an initial status without accepted names', () => {
    const { spec, status, metadata } = definition({})
    expect(spec.names).toEqual({
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
    })
    expect(spec.conversion).toEqual({ strategy: 'None' })
    expect(status).toEqual({
      conditions: [],
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    })
    expect(metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io'])
    expect(errorsOf(definition({}))).toEqual([])
  })

  it('requires the name <plural>.<group>, and approval for groups of the Kubernetes project', () => {
    expect(errorsOf(definition({}, 'other.example.com'))).toEqual([
      'metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group',
    ])
    expect(errorsOf(definition({ group: 'apps.k8s.io' }, 'widgets.apps.k8s.io'))).toEqual([
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ])
  })

  it('requires exactly one storage version, and a schema', () => {
    const versions = [version({ type: 'object' }), version({ type: 'object' }, { name: 'v2' })]
    expect(errorsOf(definition({ versions }))).toEqual([
      expect.stringMatching(
        /^spec\.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
      ),
    ])
    expect(errorsOf(definition({ versions: [version(undefined)] }))).toEqual([
      `${ROOT}: Required value: schemas are required`,
    ])
  })

  it.each<[JsonSchema, string[]]>([
    [{}, [`${ROOT}.type: Required value: must not be empty at the root`]],
    [{ type: 'string' }, [`${ROOT}.type: Invalid value: "string": must be object at the root`]],
    [
      { type: 'object', properties: { a: {} } },
      [`${ROOT}.properties[a].type: Required value: must not be empty for specified object fields`],
    ],
    [
      { type: 'object', properties: { a: { type: 'array' } } },
      [`${ROOT}.properties[a].items: Required value: must be specified`],
    ],
    [
      {
        type: 'object',
        properties: {
          a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        },
      },
      [],
    ],
    [
      { type: 'object', anyOf: [{ type: 'object' }] },
      [`${ROOT}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' } },
      },
      [
        `${ROOT}.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
      ],
    ],
  ])('requires a structural schema: %j', (schema, expected) => {
    expect(schemaErrors(schema)).toEqual(expected)
  })

  it('rejects defaults that violate the schema', () => {
    const spec: JsonSchema = {
      type: 'object',
      properties: {
        size: { type: 'integer', maximum: 3, default: 'large' as never },
        many: { type: 'integer', maximum: 3, default: 7 },
        parts: { type: 'array', items: { type: 'string', enum: ['a', 'b'], default: 'c' } },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { any: 1 } },
        shape: { type: 'object', properties: { sides: { type: 'integer' } }, default: { corners: 4 } },
        good: { type: 'object', additionalProperties: { type: 'string' }, default: { a: 'b' } },
      },
    }
    const field = `${ROOT}.properties[spec].properties`
    expect(schemaErrors({ type: 'object', properties: { spec } })).toEqual([
      `${field}[size].default: Invalid value: "string": ${field}[size].default in body must be of type integer: "string"`,
      `${field}[many].default: Invalid value: 7: ${field}[many].default in body should be less than or equal to 3`,
      `${field}[parts].items.default: Unsupported value: "c": supported values: "a", "b"`,
      `${field}[shape].default: Invalid value: {"corners":4}: must not have unknown fields`,
    ])
  })

  it('rejects selectable fields that are not scalar fields of the schema', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { color: { type: 'string' }, parts: { type: 'array', items: { type: 'string' } } },
        },
      },
    }
    const errorsWith = (...paths: string[]): string[] =>
      errorsOf(
        definition({
          versions: [version(schema, { selectableFields: paths.map((jsonPath) => ({ jsonPath })) })],
        }),
      )
    const field = 'spec.versions[0].selectableFields'
    expect(errorsWith('.spec.color')).toEqual([])
    expect(errorsWith('.spec.colour')).toEqual([
      `${field}[0].jsonPath: Invalid value: ".spec.colour": is an invalid path: does not refer to a valid field`,
    ])
    expect(errorsWith('.spec.parts[0')[0]).toContain('is an invalid path: ')
    expect(errorsWith('')).toEqual([`${field}[0].jsonPath: Required value`])
    expect(errorsWith('.metadata.name')).toEqual([
      `${field}[0]: Invalid value: ".metadata.name": must not point to fields in metadata`,
    ])
    expect(errorsWith('.spec.parts')[0]).toContain(
      'must point to a field of type string, boolean or integer.',
    )
    expect(errorsWith('.spec.color', '.spec.color')).toEqual([`${field}[1]: Duplicate value: ".spec.color"`])
    const many = Array.from({ length: 9 }, (_, index) => `f${index}`)
    const wide = Object.fromEntries(many.map((name) => [name, { type: 'string' }]))
    const fields = many.map((name) => ({ jsonPath: `.${name}` }))
    const wideVersion = version({ type: 'object', properties: wide }, { selectableFields: fields })
    expect(errorsOf(definition({ versions: [wideVersion] }))).toEqual([
      `${field}: Too many: 9: must have at most 8 items`,
    ])
  })

  it('rejects patterns that Go does not support, including inside operators', () => {
    const patternError = (pattern: string, problem: string) =>
      `pattern: Invalid value: ${JSON.stringify(pattern)}: must be a valid regular expression, but isn't: error parsing regexp: ${problem}`
    expect(
      schemaErrors({
        type: 'object',
        properties: {
          a: { type: 'string', pattern: '(' },
          b: { type: 'string', allOf: [{ pattern: '(a)\\1' }] },
          c: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]+)*$' },
        },
      }),
    ).toEqual([
      `${ROOT}.properties[a].${patternError('(', 'missing closing ): `(`')}`,
      `${ROOT}.properties[b].allOf[0].${patternError('(a)\\1', 'invalid escape sequence: `\\1`')}`,
    ])
  })

  it('rejects a change of scope once established, and keeps all stored versions', () => {
    const old = definition({})
    old.status.conditions = [{ type: 'Established', status: 'True' }]
    const next = definition({ scope: 'Cluster', versions: [version({ type: 'object' }, { name: 'v2' })] })
    customResourceDefinitions.prepareUpdate!(next, old, { now: 0 })
    expect(next.status.storedVersions).toEqual(['v1', 'v2'])
    expect(errorsOf(next, old)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ])
  })
})
