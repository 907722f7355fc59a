/** Tests of namespace deletion, and of the default objects of a namespace. */
import { describe, expect, it } from 'vitest'
import { configMaps, namespaces, pods, serviceAccounts } from '#platform/kube/kinds'
import { createRootCaController } from '../accounts/root-ca.ts'
import { serviceAccountController } from '../accounts/service-account.ts'
import { createGarbageCollector } from '../cleanup/garbage-collector.ts'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { createNamespaceLifecycle } from './namespace-lifecycle.ts'

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
  it('has a default account and the CA certificate, which are recreated if deleted', () => {
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

  it('is deleted after its content; pods get their grace period', () => {
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

  it('waits for finalizers of its content and reports them', () => {
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
