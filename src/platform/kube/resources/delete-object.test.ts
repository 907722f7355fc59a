/** Tests of deletion: finalizers, grace periods, propagation, preconditions. */
import { beforeEach, describe, expect, it } from 'vitest'
import { configMaps, defineKind, deployments, namespaces, pods } from '#platform/kube/kinds'
import type { KubeObject } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { createTestResources, rejection, type TestResources } from './testing/create-test-resources.ts'

let clock: TestResources['clock']
let client: TestResources['client']
let createConfigMap: TestResources['createConfigMap']
let createPod: TestResources['createPod']
let createDeployment: TestResources['createDeployment']

beforeEach(() => {
  ;({ clock, client, createConfigMap, createPod, createDeployment } = createTestResources())
})

describe('deletion', () => {
  const remove = (kind: Parameters<Client['delete']>[0], name: string, options = {}): void =>
    client.delete(kind, 'default', name, options)

  it('removes most objects immediately, with a new version', () => {
    const changes: string[] = []
    client.watch(configMaps, ({ type, object }) => changes.push(`${type} ${object.metadata.resourceVersion}`))
    createConfigMap()
    remove(configMaps, 'a')
    expect(changes).toEqual(['ADDED 1', 'DELETED 2'])
    expect(rejection(() => remove(configMaps, 'a'))).toBe('404 NotFound: configmaps "a" not found')
  })

  it('waits for finalizers, rejects new ones, and removes the object with the last one', () => {
    createConfigMap('a', { metadata: { name: 'a', namespace: 'default', finalizers: ['x.io/a', 'x.io/b'] } })
    remove(configMaps, 'a')
    const marked = client.get(configMaps, 'default', 'a')!
    expect(marked.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['x.io/a', 'x.io/b'],
    })
    remove(configMaps, 'a')
    expect(client.get(configMaps, 'default', 'a')).toBe(marked)
    const withFinalizers = (finalizers: string[]) => ({
      ...client.get(configMaps, 'default', 'a')!,
      metadata: { ...client.get(configMaps, 'default', 'a')!.metadata, finalizers },
    })
    expect(rejection(() => client.update(configMaps, withFinalizers(['x.io/c'])))).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/c"}',
    )
    client.update(configMaps, withFinalizers(['x.io/b']))
    client.update(configMaps, withFinalizers([]))
    expect(client.get(configMaps, 'default', 'a')).toBeUndefined()
  })

  it.each([
    ['Background', undefined],
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ] as const)('with propagation %s sets the finalizers %j', (propagation, finalizers) => {
    createDeployment()
    remove(deployments, 'd', { propagation })
    expect(client.get(deployments, 'default', 'd')?.metadata.finalizers).toEqual(finalizers)
    if (finalizers !== undefined) expect(client.get(deployments, 'default', 'd')?.metadata.generation).toBe(2)
  })

  it('can be repeated with another propagation policy', () => {
    createDeployment()
    remove(deployments, 'd', { propagation: 'Foreground' })
    remove(deployments, 'd', { propagation: 'Orphan' })
    expect(client.get(deployments, 'default', 'd')?.metadata.finalizers).toEqual(['orphan'])
    remove(deployments, 'd', { propagation: 'Background' })
    expect(client.get(deployments, 'default', 'd')).toBeUndefined()
  })

  it('respects the grace period of running pods, which can be shortened but not extended', () => {
    createPod()
    client.bind('default', 'p', 'node1')
    remove(pods, 'p')
    const gracePeriod = (): number | undefined =>
      client.get(pods, 'default', 'p')?.metadata.deletionGracePeriodSeconds
    expect(gracePeriod()).toBe(30)
    expect(client.get(pods, 'default', 'p')?.metadata.deletionTimestamp).toBe('2026-01-01T00:00:30Z')
    remove(pods, 'p', { gracePeriodSeconds: 60 })
    expect(gracePeriod()).toBe(30)
    clock.advance(3000)
    remove(pods, 'p', { gracePeriodSeconds: 5 })
    expect(gracePeriod()).toBe(5)
    expect(client.get(pods, 'default', 'p')?.metadata.deletionTimestamp).toBe('2026-01-01T00:00:05Z')
    remove(pods, 'p', { gracePeriodSeconds: 0 })
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('removes unscheduled pods immediately', () => {
    createPod()
    remove(pods, 'p')
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('keeps a namespace until its spec finalizers are removed', () => {
    client.create(namespaces, { metadata: { name: 'n' } })
    client.delete(namespaces, '', 'n')
    const terminating = client.get(namespaces, '', 'n')!
    expect(terminating.status.phase).toBe('Terminating')
    expect(terminating.metadata.deletionGracePeriodSeconds).toBeUndefined()
    client.finalize({ ...terminating, spec: { finalizers: [] } })
    expect(client.get(namespaces, '', 'n')).toBeUndefined()
  })

  it('calls prepareDelete and isDeletionBlocked of the kind', () => {
    const gates = defineKind<KubeObject>({
      group: 'example.com',
      version: 'v1',
      kind: 'Gate',
      plural: 'gates',
      singular: 'gate',
      namespaced: false,
      hasStatus: false,
      requireResourceVersion: false,
      prepareDelete: (draft) => {
        draft.spec = { ...draft.spec, closing: true }
      },
      isDeletionBlocked: ({ spec }) => spec?.open === true,
      columns: [],
      row: () => [],
    })
    const { client: admin } = createTestResources([gates])
    admin.create(gates, { metadata: { name: 'g' }, spec: { open: true } } as never)
    admin.delete(gates, '', 'g')
    const terminating = admin.get(gates, '', 'g')!
    expect(terminating.spec).toEqual({ open: true, closing: true })
    admin.update(gates, { ...terminating, spec: { open: false } })
    expect(admin.get(gates, '', 'g')).toBeUndefined()
  })

  it('is rejected if a precondition fails', () => {
    const created = createConfigMap()
    expect(rejection(() => remove(configMaps, 'a', { preconditions: { uid: 'x' } }))).toBe(
      `409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${created.metadata.uid}). The object might have been deleted and then recreated`,
    )
    expect(rejection(() => remove(configMaps, 'a', { preconditions: { resourceVersion: '7' } }))).toContain(
      'the ResourceVersion in the precondition (7) does not match the ResourceVersion in record (1)',
    )
    remove(configMaps, 'a', { preconditions: { uid: created.metadata.uid, resourceVersion: '1' } })
    expect(client.list(configMaps)).toEqual([])
  })
})
