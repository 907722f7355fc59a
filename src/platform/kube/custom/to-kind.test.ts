/** Tests of the kinds of CustomResourceDefinitions: names, defaults, columns and validation. */
import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import type { JsonSchema } from '#platform/kube/kinds'
import { invalidObject, type KubeObject, type Stored } from '#platform/kube/meta'
import { decodeObject } from '#platform/kube/schema'
import { toKind } from './to-kind.ts'

const SPEC: JsonSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'string', enum: ['small', 'large'] },
    replicas: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
    step: { type: 'number', multipleOf: 0.5, exclusiveMinimum: true, minimum: 0 },
    name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
    since: { type: 'string', format: 'date-time' },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', maxItems: 2, items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    parts: {
      type: 'array',
      minItems: 1,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, protocol: { type: 'string', default: 'TCP' } },
      },
    },
    labels: { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    note: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    choice: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      not: { required: ['c'] },
    },
  },
}

const definition = (schema: JsonSchema): Stored<CustomResourceDefinition> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com', uid: '1', resourceVersion: '1', creationTimestamp: '' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      { name: 'v1alpha1', served: true, storage: false },
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema as never },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        selectableFields: [{ jsonPath: '.spec.size' }],
        additionalPrinterColumns: [
          { name: 'Size', type: 'string', jsonPath: '.spec.size' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  },
  status: {},
})

const kind = toKind(definition({ type: 'object', properties: { spec: SPEC, status: { type: 'object' } } }))!

const widget = (spec: object): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'w',
    namespace: 'default',
    uid: '1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec,
})

const findings = (spec: object, old?: object): string[] =>
  kind.validate!(widget(spec), old === undefined ? undefined : widget(old)).map(
    ({ field, message }) => `${field}: ${message}`,
  )

describe('the kind of a definition', () => {
  it('has the names, scope, subresources and versions of the definition', () => {
    expect(kind).toMatchObject({
      apiVersion: 'example.com/v1',
      id: 'example.com/widgets',
      kind: 'Widget',
      shortNames: ['wd'],
      namespaced: true,
      hasStatus: true,
      scale: { spec: 'spec.replicas', status: 'status.replicas', selector: 'status.selector' },
    })
    const [otherVersion] = kind.otherVersions!
    expect(otherVersion!.toServed(widget({})).apiVersion).toBe('example.com/v1alpha1')
    expect(otherVersion!.fromServed(otherVersion!.toServed(widget({})))).toEqual(widget({}))
    expect(kind.selectableFields!(widget({ size: 'small' }))).toEqual({ 'spec.size': 'small' })
    expect(kind.fieldNames).toEqual({ 'spec.size': 'spec.size' })
    // Each version has its own list of selectable fields.
    expect(otherVersion!.fieldNames).toEqual({})
  })

  it('drops unknown fields and keeps those that the schema preserves', () => {
    const { object, unknown } = decodeObject(
      kind.schema!,
      widget({
        size: 'small',
        typo: 1,
        note: null,
        free: { anything: [1] },
        parts: [{ name: 'a', extra: 1 }],
      }),
      { group: 'example.com', version: 'v1', kind: 'Widget' },
    )
    expect(object.spec).toEqual({
      size: 'small',
      note: null,
      free: { anything: [1] },
      parts: [{ name: 'a' }],
    })
    expect(unknown).toEqual(['spec.typo', 'spec.parts[0].extra'])
  })

  it('applies defaults, also inside lists, without changing the stored status', () => {
    const draft: KubeObject = {
      ...widget({ size: 'small', replicas: null, parts: [{ name: 'a' }] }),
      status: deepFreeze({}),
    }
    kind.defaults!(draft)
    expect(draft.spec).toEqual({ size: 'small', replicas: 1, parts: [{ name: 'a', protocol: 'TCP' }] })
  })

  it('prints the columns of the definition', () => {
    expect(kind.columns.map(({ name, type, priority }) => [name, type, priority])).toEqual([
      ['Name', 'string', 0],
      ['Size', 'string', 0],
      ['Replicas', 'integer', 1],
      ['Ready', 'string', 0],
      ['Age', 'date', 0],
    ])
    expect(
      kind.row(widget({ size: 'small', replicas: 3 }), { now: Date.parse('2026-01-01T00:05:00Z') }),
    ).toEqual(['w', 'small', 3, null, '5m'])
  })

  it('has the columns and warnings of each version', () => {
    const base = definition({ type: 'object' })
    const [alpha, stable] = base.spec.versions
    const column = { name: 'Size', type: 'string', jsonPath: '.spec.size' }
    const versions = [{ ...alpha!, deprecated: true, additionalPrinterColumns: [column] }, stable!]
    const [otherVersion] = toKind({ ...base, spec: { ...base.spec, versions } })!.otherVersions!
    expect(otherVersion!.warning).toBe('example.com/v1alpha1 Widget is deprecated; use example.com/v1 Widget')
    expect(otherVersion!.table!.columns.map(({ name }) => name)).toEqual(['Name', 'Size'])
    expect(otherVersion!.table!.row(widget({ size: 'small' }), { now: 0 })).toEqual(['w', 'small'])
    const warned = { ...stable!, deprecated: true, deprecationWarning: 'do not use' }
    expect(toKind({ ...base, spec: { ...base.spec, versions: [warned] } })!.warning).toBe('do not use')
    const deprecatedVersion = { ...stable!, deprecated: true }
    const last = toKind({ ...base, spec: { ...base.spec, versions: [alpha!, deprecatedVersion] } })!
    expect(last.warning).toBe('example.com/v1 Widget is deprecated')
  })
})

describe('validation of custom resources', () => {
  it('accepts a valid object', () => {
    expect(
      findings({
        size: 'large',
        replicas: 2,
        step: 1.5,
        name: 'abc',
        since: '2026-01-01T00:00:00Z',
        port: 'http',
        tags: ['a', 'b'],
        parts: [{ name: 'a' }],
        labels: { a: 'b' },
        note: null,
        choice: { a: 'x' },
      }),
    ).toEqual([])
  })

  it.each([
    [
      { size: 'small', replicas: 'two' },
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    ],
    [
      { size: 'small', replicas: 1.5 },
      'spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"',
    ],
    [
      { size: 'small', port: true },
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ],
    [{}, 'spec.size: Required value'],
    [{ size: 'huge' }, 'spec.size: Unsupported value: "huge": supported values: "small", "large"'],
    [
      { size: 'small', replicas: 0 },
      'spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1',
    ],
    [
      { size: 'small', replicas: 11 },
      'spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10',
    ],
    [
      { size: 'small', step: 0.7 },
      'spec.step: Invalid value: 0.7: spec.step in body should be a multiple of 0.5',
    ],
    [{ size: 'small', step: 0 }, 'spec.step: Invalid value: 0: spec.step in body should be greater than 0'],
    [
      { size: 'small', name: 'Abc' },
      'spec.name: Invalid value: "Abc": spec.name in body should match \'^[a-z]+$\'',
    ],
    [
      { size: 'small', name: 'a' },
      'spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long',
    ],
    [{ size: 'small', name: 'abcdef' }, 'spec.name: Too long: may not be more than 5 bytes'],
    [
      { size: 'small', since: 'noon' },
      'spec.since: Invalid value: "noon": spec.since in body must be of type date-time: "noon"',
    ],
    [{ size: 'small', tags: ['a', 'b', 'c'] }, 'spec.tags: Too many: 3: must have at most 2 items'],
    [{ size: 'small', tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"'],
    [
      { size: 'small', parts: [] },
      'spec.parts: Invalid value: 0: spec.parts in body should have at least 1 items',
    ],
    [
      { size: 'small', parts: [{ name: 'a' }, { name: 'a' }] },
      'spec.parts[1]: Duplicate value: map[string]interface {}{"name":"a"}',
    ],
    [
      { size: 'small', labels: { a: 1 } },
      'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
    ],
    [
      { size: 'small', choice: { a: 'x', b: 'y' } },
      '<nil>: Invalid value: "": "spec.choice" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      { size: 'small', choice: {} },
      '<nil>: Invalid value: "": "spec.choice" must validate one and only one schema (oneOf). Found none valid',
    ],
    [
      { size: 'small', choice: { a: 'x', c: 1 } },
      '<nil>: Invalid value: "": "spec.choice" must not validate the schema (not)',
    ],
  ])('rejects %j', (spec, expected) => {
    expect(findings(spec)).toContain(expected)
  })

  it('ignores errors in unchanged fields', () => {
    expect(findings({ size: 'huge', replicas: 2 }, { size: 'huge', replicas: 1 })).toEqual([])
    expect(findings({ size: 'giant' }, { size: 'huge' })).toHaveLength(1)
  })

  it('produces the error message of a real server', () => {
    const errors = kind.validate!(widget({ size: 'small', replicas: 'two' }), undefined)
    expect(invalidObject('example.com', 'Widget', 'w', errors).message).toBe(
      'Widget.example.com "w" is invalid: spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    )
  })

  it('warns of new finalizers without a domain', () => {
    const before = widget({ size: 'small' })
    const withFinalizers = (...finalizers: string[]): KubeObject => ({
      ...before,
      metadata: { ...before.metadata, finalizers },
    })
    expect(kind.warnings!(withFinalizers('zz', 'a.io/b', 'orphan'), undefined)).toEqual([
      'metadata.finalizers: "zz": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ])
    expect(kind.warnings!(withFinalizers('zz'), withFinalizers('zz'))).toEqual([])
  })
})
