/** Tests of the schemas of built-in types. */
import { describe, expect, it } from 'vitest'
import { definitionName, schemaOf } from './definitions.ts'
import type { ObjectSchema, Schema } from './schema.ts'

const at = (schema: Schema | undefined, ...path: string[]): Schema | undefined => {
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
    expect(at(deployment, ...podSpec, 'containers')).toMatchObject({
      type: 'list',
      merge: 'map',
      keys: ['name'],
      keyDefaults: { name: '' },
      patchMergeKey: 'name',
    })
    expect(at(deployment, ...podSpec, 'containers', 'ports')).toMatchObject({
      keys: ['containerPort', 'protocol'],
      keyDefaults: { containerPort: 0, protocol: 'TCP' },
      patchMergeKey: 'containerPort',
    })
    expect(at(deployment, ...podSpec, 'containers', 'args')).toMatchObject({ merge: 'atomic', keys: [] })
    expect(at(deployment, 'metadata', 'finalizers')).toMatchObject({ merge: 'set', patchMergeKey: '' })
  })

  it('describes atomic values and retained keys', () => {
    expect(at(deployment, 'spec', 'selector')).toMatchObject({ atomic: true })
    expect(at(deployment, ...podSpec, 'nodeSelector')).toMatchObject({ type: 'map', atomic: true })
    expect(at(deployment, 'spec', 'strategy')).toMatchObject({ retainKeys: true })
    expect(at(deployment, ...podSpec)).toMatchObject({ retainKeys: false, atomic: false })
    const volume = schemaOf({ group: '', version: 'v1', kind: 'PersistentVolume' })
    expect(at(volume, 'spec', 'claimRef')).toMatchObject({
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
    expect(at(secret, 'data')).toMatchObject({ values: { type: 'string', format: 'byte' } })
    expect(at(lease, 'spec', 'renewTime')).toMatchObject({ format: 'date-time', microseconds: true })
    expect(at(deployment, ...podSpec, 'containers', 'resources', 'limits')).toMatchObject({
      values: { type: 'quantity' },
    })
    expect(at(definition, 'spec', 'versions', 'schema', 'openAPIV3Schema', 'items')).toEqual({ type: 'any' })
  })

  it('supports recursive schemas', () => {
    const definition = schemaOf({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
    })
    const root = at(definition, 'spec', 'versions', 'schema', 'openAPIV3Schema') as ObjectSchema
    expect(root.fields.get('properties')).toMatchObject({ type: 'map' })
    expect((root.fields.get('properties') as { values: Schema }).values).toBe(root)
  })
})
