/** Tests of the schemas of built-in types. */
import { describe, expect, it } from 'vitest'
import { definitionName, schemaOf } from './definitions.ts'
import type { ObjectSchema, Schema } from './schema.ts'

const schemaAt = (schema: Schema | undefined, ...path: string[]): Schema | undefined => {
  let current = schema
  for (const step of path) {
    if (current?.type === 'list') current = current.items
    current = current?.type === 'object' ? current.fields.get(step) : undefined
  }
  return current
}

const deployment = schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' })
const podSpec = ['spec', 'template', 'spec']

describe('schemaOf', () => {
  it('finds a schema by group, version and kind', () => {
    expect(deployment?.name).toBe('io.k8s.api.apps.v1.Deployment')
    expect(definitionName({ group: '', version: 'v1', kind: 'Pod' })).toBe('io.k8s.api.core.v1.Pod')
    expect(schemaOf({ group: 'apps', version: 'v1beta1', kind: 'Deployment' })).toBeUndefined()
    expect(definitionName({ group: '', version: 'v1', kind: 'Deployment' })).toBeUndefined()
  })

  it('describes how apply and strategic merge treat lists', () => {
    expect(schemaAt(deployment, ...podSpec, 'containers')).toMatchObject({
      type: 'list',
      merge: 'map',
      keys: ['name'],
      keyDefaults: { name: '' },
      patchMergeKey: 'name',
    })
    expect(schemaAt(deployment, ...podSpec, 'containers', 'ports')).toMatchObject({
      keys: ['containerPort', 'protocol'],
      keyDefaults: { containerPort: 0, protocol: 'TCP' },
      patchMergeKey: 'containerPort',
    })
    expect(schemaAt(deployment, ...podSpec, 'containers', 'args')).toMatchObject({
      merge: 'atomic',
      keys: [],
    })
    expect(schemaAt(deployment, 'metadata', 'finalizers')).toMatchObject({ merge: 'set', patchMergeKey: '' })
  })

  it('describes atomic values and retained keys', () => {
    expect(schemaAt(deployment, 'spec', 'selector')).toMatchObject({ atomic: true })
    expect(schemaAt(deployment, ...podSpec, 'nodeSelector')).toMatchObject({ type: 'map', atomic: true })
    expect(schemaAt(deployment, 'spec', 'strategy')).toMatchObject({ retainKeys: true })
    expect(schemaAt(deployment, ...podSpec)).toMatchObject({ retainKeys: false, atomic: false })
    const volume = schemaOf({ group: '', version: 'v1', kind: 'PersistentVolume' })
    expect(schemaAt(volume, 'spec', 'claimRef')).toMatchObject({
      name: 'io.k8s.api.core.v1.ObjectReference',
      atomic: false,
    })
  })

  it('describes scalar formats', () => {
    const secret = schemaOf({ group: '', version: 'v1', kind: 'Secret' })
    const lease = schemaOf({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' })
    const definition = schemaOf({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
    })
    expect(schemaAt(secret, 'data')).toMatchObject({ values: { type: 'string', format: 'byte' } })
    expect(schemaAt(lease, 'spec', 'renewTime')).toMatchObject({ format: 'date-time', microseconds: true })
    expect(schemaAt(deployment, ...podSpec, 'containers', 'resources', 'limits')).toMatchObject({
      values: { type: 'quantity' },
    })
    expect(schemaAt(definition, 'spec', 'versions', 'schema', 'openAPIV3Schema', 'items')).toEqual({
      type: 'any',
    })
  })

  it('supports recursive schemas', () => {
    const definition = schemaOf({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
    })
    const root = schemaAt(definition, 'spec', 'versions', 'schema', 'openAPIV3Schema') as ObjectSchema
    expect(root.fields.get('properties')).toMatchObject({ type: 'map' })
    expect((root.fields.get('properties') as { values: Schema }).values).toBe(root)
  })
})
