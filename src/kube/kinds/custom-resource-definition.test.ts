import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '../meta/index.ts'
import { customResourceDefinitions, type JsonSchema } from './custom-resource-definition.ts'

const version = (schema: JsonSchema | undefined, more: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema as never } }),
  ...more,
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

const findings = (
  object: Stored<CustomResourceDefinition>,
  old?: Stored<CustomResourceDefinition>,
): string[] =>
  customResourceDefinitions.validate!(object, old).map(({ field, message }) => `${field}: ${message}`)

const ofSchema = (schema: JsonSchema): string[] => findings(definition({ versions: [version(schema)] }))
const ROOT = 'spec.versions[0].schema.openAPIV3Schema'

describe('CustomResourceDefinition', () => {
  it('completes its names and starts without any accepted', () => {
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
    expect(findings(definition({}))).toEqual([])
  })

  it('must be named after what it defines', () => {
    expect(findings(definition({}, 'other.example.com'))).toEqual([
      'metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group',
    ])
    expect(findings(definition({ group: 'apps.k8s.io' }, 'widgets.apps.k8s.io'))).toEqual([
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ])
  })

  it('has exactly one version for storing', () => {
    const versions = [version({ type: 'object' }), version({ type: 'object' }, { name: 'v2' })]
    expect(findings(definition({ versions }))).toEqual([
      expect.stringMatching(
        /^spec\.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
      ),
    ])
    expect(findings(definition({ versions: [version(undefined)] }))).toEqual([
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
  ])('wants structural schemas: %j', (schema, expected) => {
    expect(ofSchema(schema)).toEqual(expected)
  })

  it('has only patterns that Go would read, inside operators, too', () => {
    const refused = (pattern: string, problem: string) =>
      `pattern: Invalid value: ${JSON.stringify(pattern)}: must be a valid regular expression, but isn't: error parsing regexp: ${problem}`
    expect(
      ofSchema({
        type: 'object',
        properties: {
          a: { type: 'string', pattern: '(' },
          b: { type: 'string', allOf: [{ pattern: '(a)\\1' }] },
          c: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]+)*$' },
        },
      }),
    ).toEqual([
      `${ROOT}.properties[a].${refused('(', 'missing closing ): `(`')}`,
      `${ROOT}.properties[b].allOf[0].${refused('(a)\\1', 'invalid escape sequence: `\\1`')}`,
    ])
  })

  it('keeps its scope and kind once established, and lists every version that was stored', () => {
    const old = definition({})
    old.status.conditions = [{ type: 'Established', status: 'True' }]
    const next = definition({ scope: 'Cluster', versions: [version({ type: 'object' }, { name: 'v2' })] })
    customResourceDefinitions.prepareUpdate!(next, old, { now: 0 })
    expect(next.status.storedVersions).toEqual(['v1', 'v2'])
    expect(findings(next, old)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ])
  })
})
