/** Tests of change: versions, generations, status apart from the rest, and who owns which field. */
import { beforeEach, describe, expect, it } from 'vitest'
import { configMaps, defineKind, deployments, leases } from '../kinds/index.ts'
import type { KubeObject } from '../meta/index.ts'
import { createTestResources, refusal, type TestResources, USER } from './testing/create-test-resources.ts'
import { updateObject } from './update-object.ts'

let clock: TestResources['clock']
let resources: TestResources['resources']
let client: TestResources['client']
let configMap: TestResources['configMap']
let deployment: TestResources['deployment']

beforeEach(() => {
  ;({ clock, resources, client, configMap, deployment } = createTestResources())
})

describe('change', () => {
  it('without a difference keeps the version', () => {
    const made = configMap('a', { data: { k: 'v' } })
    expect(client.update(configMaps, made)).toBe(made)
    clock.advance(5000)
    expect(client.update(configMaps, { ...made, data: { k: 'v' } }).metadata.resourceVersion).toBe('1')
  })

  it('raises the generation for the spec and nothing else', () => {
    const made = deployment()
    const labelled = client.update(deployments, {
      ...made,
      metadata: { ...made.metadata, labels: { a: 'b' } },
    })
    expect(labelled.metadata.generation).toBe(1)
    const scaled = client.update(deployments, { ...labelled, spec: { ...labelled.spec, replicas: 3 } })
    expect(scaled.metadata.generation).toBe(2)
    const told = client.updateStatus(deployments, { ...scaled, status: { replicas: 3 } })
    expect(told.metadata.generation).toBe(2)
  })

  it('of the object leaves its status alone, and of its status everything else', () => {
    const made = deployment()
    const changed = client.update(deployments, { ...made, status: { replicas: 9 } } as never)
    expect(changed.status).toEqual(made.status)
    const told = client.updateStatus(deployments, {
      ...changed,
      metadata: { ...changed.metadata, labels: { a: 'b' } },
      spec: { ...changed.spec, replicas: 9 },
      status: { replicas: 1 },
    })
    expect(told.spec.replicas).toBe(1)
    expect(told.status).toEqual({ replicas: 1 })
    expect(told.metadata.labels).toBeUndefined()
  })

  it('keeps what the server owns of the metadata', () => {
    const made = configMap()
    const changed = client.update(configMaps, {
      ...made,
      data: { k: 'v' },
      metadata: {
        ...made.metadata,
        creationTimestamp: '2000-01-01T00:00:00Z',
        generation: 7,
        selfLink: '/x',
      },
    } as never)
    expect(changed.metadata).toMatchObject({
      uid: made.metadata.uid,
      creationTimestamp: '2026-01-01T00:00:00Z',
    })
    expect(changed.metadata).not.toHaveProperty('generation')
    expect(changed.metadata).not.toHaveProperty('selfLink')
  })

  it('is refused on a stale version, a foreign identity, a missing object or a forged deletion', () => {
    const made = configMap()
    client.update(configMaps, { ...made, data: { k: 'v' } })
    expect(refusal(() => client.update(configMaps, { ...made, data: { k: 'w' } }))).toBe(
      '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    )
    const foreign = { ...made, metadata: { ...made.metadata, uid: 'other', resourceVersion: '' } }
    expect(refusal(() => client.update(configMaps, foreign))).toContain(
      'AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ',
    )
    expect(
      refusal(() => client.update(configMaps, { ...made, metadata: { ...made.metadata, name: 'none' } })),
    ).toBe('404 NotFound: configmaps "none" not found')
    const forged = {
      ...made,
      metadata: { ...made.metadata, resourceVersion: '', deletionTimestamp: '2026-01-01T00:00:00Z' },
    }
    expect(refusal(() => client.update(configMaps, forged))).toContain(
      'metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable; may only be changed via deletion',
    )
  })

  it('needs a version where the kind insists on one', () => {
    const made = client.create(leases, { metadata: { name: 'l', namespace: 'default' }, spec: {} } as never)
    const blind = {
      ...made,
      metadata: { ...made.metadata, resourceVersion: '' },
      spec: { leaseTransitions: 1 },
    }
    expect(refusal(() => client.update(leases, blind as never))).toContain(
      'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    )
  })

  it.each([
    [true, 1],
    [false, 2],
  ])('counts a status that is a part of its own (%s) to generation %i', (hasStatus, generation) => {
    const gates = defineKind<KubeObject>({
      group: 'example.com',
      version: 'v1',
      kind: 'Gate',
      plural: 'gates',
      singular: 'gate',
      namespaced: false,
      hasStatus,
      hasGeneration: true,
      columns: [],
      row: () => [],
    })
    const { client: admin } = createTestResources([gates])
    const made = admin.create(gates, { metadata: { name: 'g' } } as never)
    const told = { ...made, status: { open: true } }
    const changed = hasStatus ? admin.updateStatus(gates, told) : admin.update(gates, told)
    expect(changed).toMatchObject({ status: { open: true }, metadata: { generation } })
  })

  it('leaves no trace when it is but tried', () => {
    const made = configMap()
    const next = { ...structuredClone(made), data: { k: 'v' } }
    const tried = updateObject(resources, configMaps, next, made, { user: USER, manager: 'm', dryRun: true })
    expect(tried).toMatchObject({ data: { k: 'v' }, metadata: { resourceVersion: '1' } })
    expect(client.get(configMaps, 'default', 'a')).toBe(made)
  })
})

describe('ownership of fields', () => {
  it('is told of every write, by manager and part', () => {
    const made = deployment()
    const other = resources.clientFor(USER, 'other')
    clock.advance(1000)
    other.updateStatus(deployments, { ...made, status: { replicas: 1 } })
    const entries = client.get(deployments, 'default', 'd')!.metadata.managedFields!
    expect(entries.map(({ manager, operation, subresource }) => [manager, operation, subresource])).toEqual([
      ['tester', 'Update', undefined],
      ['other', 'Update', 'status'],
    ])
    expect(entries[1]?.fieldsV1).toEqual({ 'f:status': { 'f:replicas': {} } })
  })
})
