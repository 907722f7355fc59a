/** Tests of the garbage collector: background, foreground and orphan deletion, and multiple owners. */
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { clusterRoles, configMaps } from '#platform/kube/kinds'
import type { OwnerReference, Stored } from '#platform/kube/meta'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { createGarbageCollector } from './garbage-collector.ts'

type StoredMap = Stored<ConfigMap>

const start = (): TestCluster => createTestCluster([createGarbageCollector()])

const ownedBy = (owner: StoredMap, blocks = true): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  blockOwnerDeletion: blocks,
})

const add = (
  { client }: TestCluster,
  name: string,
  ownerReferences: OwnerReference[] = [],
  finalizers: string[] = [],
): StoredMap =>
  client.create(configMaps, { metadata: { name, namespace: 'default', ownerReferences, finalizers } })

const settledNames = ({ client, clock }: TestCluster): string[] => {
  clock.advance(100)
  return client.list(configMaps).map(({ metadata }) => metadata.name)
}

const removeFinalizers = ({ client }: TestCluster, name: string): void => {
  const object = client.get(configMaps, 'default', name)!
  client.update(configMaps, { ...object, metadata: { ...object.metadata, finalizers: [] } })
}

describe('background deletion', () => {
  it('deletes all direct and indirect dependents after the owner', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    const middle = add(cluster, 'middle', [ownedBy(top)])
    add(cluster, 'bottom', [ownedBy(middle)])
    add(cluster, 'separate')
    expect(settledNames(cluster)).toEqual(['bottom', 'middle', 'separate', 'top'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Background' })
    expect(settledNames(cluster)).toEqual(['separate'])
  })

  it('deletes a dependent created after its owner was deleted', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    cluster.client.delete(configMaps, 'default', 'top')
    add(cluster, 'late', [ownedBy(top)])
    expect(settledNames(cluster)).toEqual([])
  })

  it('ignores an owner of the same name with another uid', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top)])
    cluster.client.delete(configMaps, 'default', 'top')
    add(cluster, 'top')
    expect(settledNames(cluster)).toEqual(['top'])
  })

  it('ignores an owner in another namespace', () => {
    const cluster = start()
    const far = cluster.client.create(configMaps, { metadata: { name: 'far', namespace: 'other' } })
    add(cluster, 'child', [ownedBy(far)])
    expect(settledNames(cluster)).toEqual(['far'])
  })

  it('keeps a cluster-scoped dependent of a namespaced owner', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    cluster.client.create(clusterRoles, { metadata: { name: 'role', ownerReferences: [ownedBy(top)] } })
    cluster.client.delete(configMaps, 'default', 'top')
    cluster.clock.advance(100)
    expect(cluster.client.get(clusterRoles, '', 'role')).toBeDefined()
  })

  it('keeps dependents of an owner of an unknown kind', () => {
    const cluster = start()
    add(cluster, 'child', [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'x', uid: 'u' }])
    expect(settledNames(cluster)).toEqual(['child'])
  })
})

describe('an object with several owners', () => {
  it('is deleted with the last owner; references to deleted owners are removed', () => {
    const cluster = start()
    const [first, second] = [add(cluster, 'first'), add(cluster, 'second')]
    add(cluster, 'child', [ownedBy(first), ownedBy(second)])
    cluster.client.delete(configMaps, 'default', 'first')
    expect(settledNames(cluster)).toEqual(['child', 'second'])
    const child = cluster.client.get(configMaps, 'default', 'child')!
    expect(child.metadata.ownerReferences).toEqual([ownedBy(second)])
    cluster.client.delete(configMaps, 'default', 'second')
    expect(settledNames(cluster)).toEqual([])
  })

  it('does not block the foreground deletion of one owner while another remains', () => {
    const cluster = start()
    const [first, second] = [add(cluster, 'first'), add(cluster, 'second')]
    add(cluster, 'child', [ownedBy(first), ownedBy(second)])
    cluster.client.delete(configMaps, 'default', 'first', { propagation: 'Foreground' })
    expect(settledNames(cluster)).toEqual(['child', 'second'])
  })
})

describe('foreground deletion', () => {
  it('keeps the owner until its blocking dependents are deleted', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top)], ['example.com/hold'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Foreground' })
    expect(settledNames(cluster)).toEqual(['child', 'top'])
    expect(cluster.client.get(configMaps, 'default', 'top')!.metadata.finalizers).toEqual([
      'foregroundDeletion',
    ])
    expect(cluster.client.get(configMaps, 'default', 'child')!.metadata.deletionTimestamp).toBeDefined()
    removeFinalizers(cluster, 'child')
    expect(settledNames(cluster)).toEqual([])
  })

  it('waits for dependents of every level', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    const middle = add(cluster, 'middle', [ownedBy(top)])
    add(cluster, 'bottom', [ownedBy(middle)], ['example.com/hold'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Foreground' })
    expect(settledNames(cluster)).toEqual(['bottom', 'middle', 'top'])
    removeFinalizers(cluster, 'bottom')
    expect(settledNames(cluster)).toEqual([])
  })

  it('does not wait for dependents without blockOwnerDeletion', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top, false)], ['example.com/hold'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Foreground' })
    expect(settledNames(cluster)).toEqual(['child'])
    expect(cluster.client.get(configMaps, 'default', 'child')!.metadata.deletionTimestamp).toBeDefined()
  })

  it('deletes two objects that own each other', () => {
    const cluster = start()
    const first = add(cluster, 'first')
    const second = add(cluster, 'second', [ownedBy(first)])
    cluster.client.update(configMaps, {
      ...first,
      metadata: { ...first.metadata, ownerReferences: [ownedBy(second)] },
    })
    cluster.clock.advance(100)
    cluster.client.delete(configMaps, 'default', 'first', { propagation: 'Foreground' })
    expect(settledNames(cluster)).toEqual([])
  })
})

describe('orphan deletion', () => {
  it('keeps the dependents and removes their owner reference', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top)])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Orphan' })
    expect(settledNames(cluster)).toEqual(['child'])
    expect(cluster.client.get(configMaps, 'default', 'child')!.metadata.ownerReferences).toBeUndefined()
    expect(cluster.errors).toEqual([])
  })
})
