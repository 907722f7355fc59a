/** Tests of deletion: finalizers, grace, propagation, preconditions. */
import { beforeEach, describe, expect, it } from 'vitest'
import { configMaps, defineKind, deployments, namespaces, pods } from '../kinds/index.ts'
import type { KubeObject } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { createTestResources, refusal, type TestResources } from './testing/create-test-resources.ts'

let clock: TestResources['clock']
let client: TestResources['client']
let configMap: TestResources['configMap']
let pod: TestResources['pod']
let deployment: TestResources['deployment']

beforeEach(() => {
  ;({ clock, client, configMap, pod, deployment } = createTestResources())
})

describe('deletion', () => {
  const remove = (kind: Parameters<Client['delete']>[0], name: string, options = {}): void =>
    client.delete(kind, 'default', name, options)

  it('takes most things at once, and tells of the version at which they went', () => {
    const told: string[] = []
    client.watch(configMaps, ({ type, object }) => told.push(`${type} ${object.metadata.resourceVersion}`))
    configMap()
    remove(configMaps, 'a')
    expect(told).toEqual(['ADDED 1', 'DELETED 2'])
    expect(refusal(() => remove(configMaps, 'a'))).toBe('404 NotFound: configmaps "a" not found')
  })

  it('waits for finalizers, takes no new ones, and ends with the last', () => {
    configMap('a', { metadata: { name: 'a', namespace: 'default', finalizers: ['x.io/a', 'x.io/b'] } })
    remove(configMaps, 'a')
    const marked = client.get(configMaps, 'default', 'a')!
    expect(marked.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['x.io/a', 'x.io/b'],
    })
    remove(configMaps, 'a')
    expect(client.get(configMaps, 'default', 'a')).toBe(marked)
    const with_ = (finalizers: string[]) => ({
      ...client.get(configMaps, 'default', 'a')!,
      metadata: { ...client.get(configMaps, 'default', 'a')!.metadata, finalizers },
    })
    expect(refusal(() => client.update(configMaps, with_(['x.io/c'])))).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/c"}',
    )
    client.update(configMaps, with_(['x.io/b']))
    client.update(configMaps, with_([]))
    expect(client.get(configMaps, 'default', 'a')).toBeUndefined()
  })

  it.each([
    ['Background', undefined],
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ] as const)('%s leaves the finalizers %j', (propagation, finalizers) => {
    deployment()
    remove(deployments, 'd', { propagation })
    expect(client.get(deployments, 'default', 'd')?.metadata.finalizers).toEqual(finalizers)
    if (finalizers !== undefined) expect(client.get(deployments, 'default', 'd')?.metadata.generation).toBe(2)
  })

  it('can still change its mind about dependents', () => {
    deployment()
    remove(deployments, 'd', { propagation: 'Foreground' })
    remove(deployments, 'd', { propagation: 'Orphan' })
    expect(client.get(deployments, 'default', 'd')?.metadata.finalizers).toEqual(['orphan'])
    remove(deployments, 'd', { propagation: 'Background' })
    expect(client.get(deployments, 'default', 'd')).toBeUndefined()
  })

  it('gives running pods their time, which may be shortened but not lengthened', () => {
    pod()
    client.bind('default', 'p', 'node1')
    remove(pods, 'p')
    const grace = (): number | undefined =>
      client.get(pods, 'default', 'p')?.metadata.deletionGracePeriodSeconds
    expect(grace()).toBe(30)
    expect(client.get(pods, 'default', 'p')?.metadata.deletionTimestamp).toBe('2026-01-01T00:00:30Z')
    remove(pods, 'p', { gracePeriodSeconds: 60 })
    expect(grace()).toBe(30)
    clock.advance(3000)
    remove(pods, 'p', { gracePeriodSeconds: 5 })
    expect(grace()).toBe(5)
    expect(client.get(pods, 'default', 'p')?.metadata.deletionTimestamp).toBe('2026-01-01T00:00:05Z')
    remove(pods, 'p', { gracePeriodSeconds: 0 })
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('takes pods that never got a node at once', () => {
    pod()
    remove(pods, 'p')
    expect(client.get(pods, 'default', 'p')).toBeUndefined()
  })

  it('keeps a namespace until its own finalizers are gone', () => {
    client.create(namespaces, { metadata: { name: 'n' } })
    client.delete(namespaces, '', 'n')
    const going = client.get(namespaces, '', 'n')!
    expect(going.status.phase).toBe('Terminating')
    expect(going.metadata.deletionGracePeriodSeconds).toBeUndefined()
    client.finalize({ ...going, spec: { finalizers: [] } })
    expect(client.get(namespaces, '', 'n')).toBeUndefined()
  })

  it('asks the kind what else becomes of it, and what still holds it', () => {
    const gates = defineKind<KubeObject>({
      group: 'example.com',
      version: 'v1',
      kind: 'Gate',
      plural: 'gates',
      singular: 'gate',
      namespaced: false,
      hasStatus: false,
      conditionalUpdate: false,
      markDeleted: (draft) => {
        draft.spec = { ...draft.spec, closing: true }
      },
      isHeld: ({ spec }) => spec?.open === true,
      columns: [],
      row: () => [],
    })
    const { client: admin } = createTestResources([gates])
    admin.create(gates, { metadata: { name: 'g' }, spec: { open: true } } as never)
    admin.delete(gates, '', 'g')
    const going = admin.get(gates, '', 'g')!
    expect(going.spec).toEqual({ open: true, closing: true })
    admin.update(gates, { ...going, spec: { open: false } })
    expect(admin.get(gates, '', 'g')).toBeUndefined()
  })

  it('is refused when a precondition does not hold', () => {
    const made = configMap()
    expect(refusal(() => remove(configMaps, 'a', { preconditions: { uid: 'x' } }))).toBe(
      `409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${made.metadata.uid}). The object might have been deleted and then recreated`,
    )
    expect(refusal(() => remove(configMaps, 'a', { preconditions: { resourceVersion: '7' } }))).toContain(
      'the ResourceVersion in the precondition (7) does not match the ResourceVersion in record (1)',
    )
    remove(configMaps, 'a', { preconditions: { uid: made.metadata.uid, resourceVersion: '1' } })
    expect(client.list(configMaps)).toEqual([])
  })
})
