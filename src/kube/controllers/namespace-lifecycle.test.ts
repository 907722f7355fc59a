/** Tests of the end of namespaces, and of what every namespace is given. */
import { describe, expect, it } from 'vitest'
import { configMaps, namespaces, pods, serviceAccounts } from '../kinds/index.ts'
import { createGarbageCollector } from './garbage-collector.ts'
import { createNamespaceLifecycle } from './namespace-lifecycle.ts'
import { createRootCaController } from './root-ca.ts'
import { serviceAccountController } from './service-account.ts'
import { createTestCluster, type TestCluster } from './testing/create-test-cluster.ts'

const start = (): TestCluster => {
  const cluster = createTestCluster([
    serviceAccountController,
    createRootCaController('PEM'),
    createNamespaceLifecycle(),
    createGarbageCollector(),
  ])
  cluster.client.create(namespaces, { metadata: { name: 'shop' } })
  cluster.clock.advance(100)
  return cluster
}

describe('a namespace', () => {
  it('is given an account and the certificate of the cluster, and gets them back', () => {
    const { client, clock, errors } = start()
    expect(client.get(serviceAccounts, 'shop', 'default')).toBeDefined()
    expect(client.get(configMaps, 'shop', 'kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'PEM' })
    client.delete(serviceAccounts, 'shop', 'default')
    const published = client.get(configMaps, 'shop', 'kube-root-ca.crt')!
    client.update(configMaps, { ...published, data: { 'ca.crt': 'other', more: '' } })
    clock.advance(100)
    expect(client.get(serviceAccounts, 'shop', 'default')).toBeDefined()
    expect(client.get(configMaps, 'shop', 'kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'PEM' })
    client.delete(configMaps, 'shop', 'kube-root-ca.crt')
    clock.advance(100)
    expect(client.get(configMaps, 'shop', 'kube-root-ca.crt')).toBeDefined()
    expect(errors).toEqual([])
  })

  it('goes once everything inside has gone, pods after their grace', () => {
    const { client, clock, errors } = start()
    client.create(pods, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { nodeName: 'node1', containers: [{ name: 'c', image: 'i' }] },
    })
    clock.advance(2000)
    client.delete(namespaces, '', 'shop')
    clock.advance(100)
    expect(client.get(namespaces, '', 'shop')?.status.phase).toBe('Terminating')
    expect(client.get(namespaces, '', 'shop')?.status.conditions).toContainEqual({
      type: 'NamespaceContentRemaining',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:02Z',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: pods. has 1 resource instances',
    })
    clock.advance(1000)
    expect(client.get(namespaces, '', 'shop')).toBeUndefined()
    expect(client.list(serviceAccounts, 'shop')).toEqual([])
    expect(errors).toEqual([])
  })

  it('waits for finalizers inside, and says for which', () => {
    const { client, clock } = start()
    client.create(configMaps, {
      metadata: { name: 'held', namespace: 'shop', finalizers: ['example.com/hold'] },
    })
    client.delete(namespaces, '', 'shop')
    clock.advance(60_000)
    const conditions = client.get(namespaces, '', 'shop')!.status.conditions!
    expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions'],
      ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted'],
      ['NamespaceContentRemaining', 'True', 'SomeResourcesRemain'],
      ['NamespaceFinalizersRemaining', 'True', 'SomeFinalizersRemain'],
    ])
    expect(conditions.at(-1)!.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    )
    const held = client.get(configMaps, 'shop', 'held')!
    client.update(configMaps, { ...held, metadata: { ...held.metadata, finalizers: [] } })
    clock.advance(100)
    expect(client.get(namespaces, '', 'shop')).toBeUndefined()
  })
})
