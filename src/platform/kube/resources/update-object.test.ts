/** Tests of updates: versions, generations, status, field ownership. */
import { beforeEach, describe, expect, it } from 'vitest'
import { configMaps, defineKind, deployments, leases } from '#platform/kube/kinds'
import type { KubeObject } from '#platform/kube/meta'
import { createTestResources, rejection, type TestResources, USER } from './testing/create-test-resources.ts'
import { updateObject } from './update-object.ts'

let clock: TestResources['clock']
let resources: TestResources['resources']
let client: TestResources['client']
let createConfigMap: TestResources['createConfigMap']
let createDeployment: TestResources['createDeployment']

beforeEach(() => {
  ;({ clock, resources, client, createConfigMap, createDeployment } = createTestResources())
})

describe('updateObject', () => {
  it('keeps the version if nothing changes', () => {
    const created = createConfigMap('a', { data: { k: 'v' } })
    expect(client.update(configMaps, created)).toBe(created)
    clock.advance(5000)
    expect(client.update(configMaps, { ...created, data: { k: 'v' } }).metadata.resourceVersion).toBe('1')
  })

  it('increments the generation only when the spec changes', () => {
    const created = createDeployment()
    const labelled = client.update(deployments, {
      ...created,
      metadata: { ...created.metadata, labels: { a: 'b' } },
    })
    expect(labelled.metadata.generation).toBe(1)
    const scaled = client.update(deployments, { ...labelled, spec: { ...labelled.spec, replicas: 3 } })
    expect(scaled.metadata.generation).toBe(2)
    const updated = client.updateStatus(deployments, { ...scaled, status: { replicas: 3 } })
    expect(updated.metadata.generation).toBe(2)
  })

  it('keeps the status on updates, and everything else on status updates', () => {
    const created = createDeployment()
    const changed = client.update(deployments, { ...created, status: { replicas: 9 } } as never)
    expect(changed.status).toEqual(created.status)
    const updated = client.updateStatus(deployments, {
      ...changed,
      metadata: { ...changed.metadata, labels: { a: 'b' } },
      spec: { ...changed.spec, replicas: 9 },
      status: { replicas: 1 },
    })
    expect(updated.spec.replicas).toBe(1)
    expect(updated.status).toEqual({ replicas: 1 })
    expect(updated.metadata.labels).toBeUndefined()
  })

  it('keeps server-owned metadata', () => {
    const created = createConfigMap()
    const changed = client.update(configMaps, {
      ...created,
      data: { k: 'v' },
      metadata: {
        ...created.metadata,
        creationTimestamp: '2000-01-01T00:00:00Z',
        generation: 7,
        selfLink: '/x',
      },
    } as never)
    expect(changed.metadata).toMatchObject({
      uid: created.metadata.uid,
      creationTimestamp: '2026-01-01T00:00:00Z',
    })
    expect(changed.metadata).not.toHaveProperty('generation')
    expect(changed.metadata).not.toHaveProperty('selfLink')
  })

  it('rejects a stale version, another uid, a missing object and a deletion timestamp', () => {
    const created = createConfigMap()
    client.update(configMaps, { ...created, data: { k: 'v' } })
    expect(rejection(() => client.update(configMaps, { ...created, data: { k: 'w' } }))).toBe(
      '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    )
    const malformed = { ...created, metadata: { ...created.metadata, resourceVersion: 'abc' } }
    expect(rejection(() => client.update(configMaps, malformed))).toBe(
      '500 : strconv.ParseUint: parsing "abc": invalid syntax',
    )
    const foreign = { ...created, metadata: { ...created.metadata, uid: 'other', resourceVersion: '' } }
    expect(rejection(() => client.update(configMaps, foreign))).toContain(
      'AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ',
    )
    expect(
      rejection(() =>
        client.update(configMaps, { ...created, metadata: { ...created.metadata, name: 'none' } }),
      ),
    ).toBe('404 NotFound: configmaps "none" not found')
    const forged = {
      ...created,
      metadata: { ...created.metadata, resourceVersion: '', deletionTimestamp: '2026-01-01T00:00:00Z' },
    }
    expect(rejection(() => client.update(configMaps, forged))).toContain(
      'metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable; may only be changed via deletion',
    )
  })

  it('requires a version if the kind demands it', () => {
    const created = client.create(leases, {
      metadata: { name: 'l', namespace: 'default' },
      spec: {},
    } as never)
    const withoutVersion = {
      ...created,
      metadata: { ...created.metadata, resourceVersion: '' },
      spec: { leaseTransitions: 1 },
    }
    expect(rejection(() => client.update(leases, withoutVersion as never))).toContain(
      'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    )
  })

  it.each([
    [true, 1],
    [false, 2],
  ])('with hasStatus %s, a status change results in generation %i', (hasStatus, generation) => {
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
    const created = admin.create(gates, { metadata: { name: 'g' } } as never)
    const next = { ...created, status: { open: true } }
    const changed = hasStatus ? admin.updateStatus(gates, next) : admin.update(gates, next)
    expect(changed).toMatchObject({ status: { open: true }, metadata: { generation } })
  })

  it('stores nothing in a dry run', () => {
    const created = createConfigMap()
    const next = { ...structuredClone(created), data: { k: 'v' } }
    const dryRun = updateObject(
      resources,
      { kind: configMaps, object: next, old: created },
      { user: USER, manager: 'm', dryRun: true },
    )
    expect(dryRun).toMatchObject({ data: { k: 'v' }, metadata: { resourceVersion: '1' } })
    expect(client.get(configMaps, 'default', 'a')).toBe(created)
  })
})

describe('field ownership', () => {
  it('is recorded per manager and subresource', () => {
    const created = createDeployment()
    const otherClient = resources.clientFor(USER, 'other')
    clock.advance(1000)
    otherClient.updateStatus(deployments, { ...created, status: { replicas: 1 } })
    const entries = client.get(deployments, 'default', 'd')!.metadata.managedFields!
    expect(entries.map(({ manager, operation, subresource }) => [manager, operation, subresource])).toEqual([
      ['tester', 'Update', undefined],
      ['other', 'Update', 'status'],
    ])
    expect(entries[1]?.fieldsV1).toEqual({ 'f:status': { 'f:replicas': {} } })
  })
})
