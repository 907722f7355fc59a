/** Tests of garbage collection: in the background, in the foreground, with orphans, and with several owners. */
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { clusterRoles, configMaps } from '../kinds/index.ts'
import type { OwnerReference, Stored } from '../meta/index.ts'
import { createGarbageCollector } from './garbage-collector.ts'
import { createTestCluster, type TestCluster } from './testing/create-test-cluster.ts'

type Thing = Stored<ConfigMap>

const start = (): TestCluster => createTestCluster([createGarbageCollector()])

const ownedBy = (owner: Thing, blocks = true): OwnerReference => ({
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
): Thing =>
  client.create(configMaps, { metadata: { name, namespace: 'default', ownerReferences, finalizers } })

const left = ({ client, clock }: TestCluster): string[] => {
  clock.advance(100)
  return client.list(configMaps).map(({ metadata }) => metadata.name)
}

const release = ({ client }: TestCluster, name: string): void => {
  const object = client.get(configMaps, 'default', name)!
  client.update(configMaps, { ...object, metadata: { ...object.metadata, finalizers: [] } })
}

describe('in the background', () => {
  it('everything below goes after the owner', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    const middle = add(cluster, 'middle', [ownedBy(top)])
    add(cluster, 'bottom', [ownedBy(middle)])
    add(cluster, 'stranger')
    expect(left(cluster)).toEqual(['bottom', 'middle', 'stranger', 'top'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Background' })
    expect(left(cluster)).toEqual(['stranger'])
  })

  it('the owner may be gone before its dependents come', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    cluster.client.delete(configMaps, 'default', 'top')
    add(cluster, 'late', [ownedBy(top)])
    expect(left(cluster)).toEqual([])
  })

  it('an owner of the same name with another identity does not count', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top)])
    cluster.client.delete(configMaps, 'default', 'top')
    add(cluster, 'top')
    expect(left(cluster)).toEqual(['top'])
  })

  it('an owner in another namespace is none', () => {
    const cluster = start()
    const far = cluster.client.create(configMaps, { metadata: { name: 'far', namespace: 'other' } })
    add(cluster, 'child', [ownedBy(far)])
    expect(left(cluster)).toEqual(['far'])
  })

  it('what belongs to the cluster is not lost for an owner in a namespace', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    cluster.client.create(clusterRoles, { metadata: { name: 'role', ownerReferences: [ownedBy(top)] } })
    cluster.client.delete(configMaps, 'default', 'top')
    left(cluster)
    expect(cluster.client.get(clusterRoles, '', 'role')).toBeDefined()
  })

  it('an owner of a kind that is not served keeps its dependents', () => {
    const cluster = start()
    add(cluster, 'child', [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'x', uid: 'u' }])
    expect(left(cluster)).toEqual(['child'])
  })
})

describe('with several owners', () => {
  it('the last one counts; references to those gone are dropped', () => {
    const cluster = start()
    const [first, second] = [add(cluster, 'first'), add(cluster, 'second')]
    add(cluster, 'child', [ownedBy(first), ownedBy(second)])
    cluster.client.delete(configMaps, 'default', 'first')
    expect(left(cluster)).toEqual(['child', 'second'])
    const child = cluster.client.get(configMaps, 'default', 'child')!
    expect(child.metadata.ownerReferences).toEqual([ownedBy(second)])
    cluster.client.delete(configMaps, 'default', 'second')
    expect(left(cluster)).toEqual([])
  })

  it('a foreground deletion of one of them does not wait for what another keeps', () => {
    const cluster = start()
    const [first, second] = [add(cluster, 'first'), add(cluster, 'second')]
    add(cluster, 'child', [ownedBy(first), ownedBy(second)])
    cluster.client.delete(configMaps, 'default', 'first', { propagation: 'Foreground' })
    expect(left(cluster)).toEqual(['child', 'second'])
  })
})

describe('in the foreground', () => {
  it('the owner waits for the dependents that block it', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top)], ['example.com/hold'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Foreground' })
    expect(left(cluster)).toEqual(['child', 'top'])
    expect(cluster.client.get(configMaps, 'default', 'top')!.metadata.finalizers).toEqual([
      'foregroundDeletion',
    ])
    expect(cluster.client.get(configMaps, 'default', 'child')!.metadata.deletionTimestamp).toBeDefined()
    release(cluster, 'child')
    expect(left(cluster)).toEqual([])
  })

  it('it waits through every level', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    const middle = add(cluster, 'middle', [ownedBy(top)])
    add(cluster, 'bottom', [ownedBy(middle)], ['example.com/hold'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Foreground' })
    expect(left(cluster)).toEqual(['bottom', 'middle', 'top'])
    release(cluster, 'bottom')
    expect(left(cluster)).toEqual([])
  })

  it('it does not wait for those that do not block', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top, false)], ['example.com/hold'])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Foreground' })
    expect(left(cluster)).toEqual(['child'])
    expect(cluster.client.get(configMaps, 'default', 'child')!.metadata.deletionTimestamp).toBeDefined()
  })

  it('two that own each other both go', () => {
    const cluster = start()
    const one = add(cluster, 'one')
    const two = add(cluster, 'two', [ownedBy(one)])
    cluster.client.update(configMaps, {
      ...one,
      metadata: { ...one.metadata, ownerReferences: [ownedBy(two)] },
    })
    left(cluster)
    cluster.client.delete(configMaps, 'default', 'one', { propagation: 'Foreground' })
    expect(left(cluster)).toEqual([])
  })
})

describe('with orphans', () => {
  it('dependents stay, without their owner', () => {
    const cluster = start()
    const top = add(cluster, 'top')
    add(cluster, 'child', [ownedBy(top)])
    cluster.client.delete(configMaps, 'default', 'top', { propagation: 'Orphan' })
    expect(left(cluster)).toEqual(['child'])
    expect(cluster.client.get(configMaps, 'default', 'child')!.metadata.ownerReferences).toBeUndefined()
    expect(cluster.errors).toEqual([])
  })
})
