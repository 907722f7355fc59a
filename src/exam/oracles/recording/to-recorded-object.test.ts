/** Tests of the recorded form of objects, and of the filter of changes. */
import { expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { createChangeFilter } from './create-change-filter.ts'
import { toRecordedObject } from './to-recorded-object.ts'

const pod = (change: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'cart-1',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '7',
    managedFields: [{}],
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
  },
  spec: { nodeName: 'node-1' },
  status: {
    phase: 'Running',
    podIP: '10.0.0.7',
    startTime: 'then',
    conditions: [
      { type: 'Ready', status: 'True', lastTransitionTime: 'then' },
      { type: 'Initialized', status: 'True' },
    ],
    containerStatuses: [{ name: 'main', ready: true, restartCount: 2, image: 'a:1', containerID: 'x' }],
    ...change,
  },
})

it('keeps the intent and the health of a pod, and drops the rest', () => {
  expect(toRecordedObject(pod())).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cart-1', namespace: 'shop', uid: 'u' },
    spec: { nodeName: 'node-1' },
    status: {
      phase: 'Running',
      podIP: '10.0.0.7',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'main', ready: true, restartCount: 2, image: 'a:1' }],
    },
  })
})

it('keeps whether ephemeral containers have ended', () => {
  const ephemeralContainerStatuses = [
    { name: 'a', state: { terminated: { exitCode: 0, finishedAt: 'then' } } },
    { name: 'b', state: { running: { startedAt: 'then' } } },
  ]
  expect(toRecordedObject(pod({ ephemeralContainerStatuses })).status).toMatchObject({
    ephemeralContainerStatuses: [{ name: 'a', state: { terminated: { exitCode: 0 } } }, { name: 'b' }],
  })
})

it('shortens the names of images, so that two names of an image are equal', () => {
  const recordImage = (image: string): ApiObject =>
    toRecordedObject({ ...pod(), spec: { containers: [{ name: 'main', image }] } })
  expect(recordImage('docker.io/library/python:3.9-slim')).toEqual(recordImage('python:3.9-slim'))
})

it('replaces values of a Secret with fingerprints', () => {
  const recordSecret = (password: string): ApiObject =>
    toRecordedObject({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password } })
  expect(JSON.stringify(recordSecret('aHVudGVyMg=='))).not.toContain('aHVudGVyMg')
  expect(recordSecret('a')).toEqual(recordSecret('a'))
  expect(recordSecret('a')).not.toEqual(recordSecret('b'))
})

it('passes only changes of the recorded form', () => {
  const filter = createChangeFilter()
  const passChange = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject) =>
    filter.pass({ type, object })?.change
  expect(passChange('ADDED', pod())).toBe('added')
  expect(passChange('MODIFIED', pod({ startTime: 'later' }))).toBeUndefined()
  expect(passChange('MODIFIED', pod({ phase: 'Failed' }))).toBe('modified')
  expect(filter.list()).toHaveLength(1)
  expect(passChange('DELETED', pod())).toBe('deleted')
  expect(filter.list()).toEqual([])
  const rootCertificate = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-root-ca.crt', namespace: 'shop' },
  }
  expect(passChange('ADDED', rootCertificate)).toBeUndefined()
})

it('reduces only objects that controllers maintain', () => {
  const object = (apiVersion: string, kind: string, name: string, fields: object = {}): ApiObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'shop' },
    ...fields,
  })
  const owned = { ownerReferences: [{ kind: 'Deployment', name: 'cart', controller: true }] }
  const filter = createChangeFilter()
  const record = (candidate: ApiObject) => filter.pass({ type: 'ADDED', object: candidate })?.object
  const spec = { selector: { app: 'cart' } }
  expect(record(object('v1', 'Service', 'cart', { spec }))).toMatchObject({ spec })
  const subsets = [
    { addresses: [{ ip: '10.244.1.5' }], notReadyAddresses: [{ ip: '10.244.0.7' }], ports: [{ port: 80 }] },
    { addresses: [{ ip: '10.244.1.9' }] },
  ]
  const addresses = ['10.244.0.7:80', '10.244.1.5:80', '10.244.1.9']
  const endpoints = object('v1', 'Endpoints', 'cart', { subsets })
  const pinned = { ...endpoints, metadata: { ...endpoints.metadata, finalizers: ['mine/hold'] } }
  expect(record(endpoints)).toEqual({
    ...object('v1', 'Endpoints', 'cart'),
    maintained: true,
    addresses,
  })
  expect(record(pinned)).toMatchObject({ metadata: { finalizers: ['mine/hold'] } })
  expect(record(object('v1', 'Endpoints', 'outside', { subsets: [] }))).toHaveProperty('subsets')
  const template = { spec: { containers: [{ name: 'main', image: 'cart:1' }] } }
  const replicaSet = object('apps/v1', 'ReplicaSet', 'mine', { spec: { replicas: 2, template } })
  expect(record(replicaSet)).toHaveProperty('spec.replicas', 2)
  const annotations = { 'deployment.kubernetes.io/revision': '2' }
  const createdByController = {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, name: 'cart-1', ...owned, annotations },
  }
  const recorded = record(createdByController)
  expect(recorded).toEqual({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: createdByController.metadata,
    programs: expect.stringMatching(/^sha256:/),
  })
  const scaled = { ...createdByController, spec: { replicas: 5, template } }
  expect(filter.pass({ type: 'MODIFIED', object: scaled })).toBeUndefined()
  // Adopted by a controller, but created by a user.
  const adopted = { ...replicaSet, metadata: { ...replicaSet.metadata, name: 'note', ...owned } }
  expect(record(adopted)).toHaveProperty('spec')
})

it('keeps the last termination of a container', () => {
  const terminated = { exitCode: 137, reason: 'Error', containerID: 'x', finishedAt: 'then' }
  const status = { name: 'main', ready: true, restartCount: 1, image: 'a:1', lastState: { terminated } }
  const recorded = toRecordedObject(pod({ containerStatuses: [status] })).status
  expect(recorded).toMatchObject({
    containerStatuses: [{ lastState: { terminated: { exitCode: 137, reason: 'Error' } } }],
  })
  expect(JSON.stringify(recorded)).not.toContain('then')
})

it('replaces huge content with fingerprints', () => {
  const recordMap = (data: Record<string, string>): ApiObject =>
    toRecordedObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm', namespace: 'shop' },
      data,
    })
  const long = 'x'.repeat(1_000_000)
  expect(recordMap({ long, short: 'y' })).toMatchObject({
    metadata: { name: 'm', namespace: 'shop' },
    data: { long: expect.stringMatching(/^sha256:/), short: 'y' },
  })
  expect(recordMap({ long })).not.toEqual(recordMap({ long: `${long}x` }))
  const manyEntries = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, index) => [`key-${index}`, 'value']),
  )
  expect(JSON.stringify(recordMap(manyEntries)).length).toBeLessThan(300)
  expect(recordMap(manyEntries)).not.toEqual(recordMap({ ...manyEntries, more: '' }))
  expect(recordMap({ text: 'z'.repeat(60_000) })).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', namespace: 'shop' },
    data: { text: 'z'.repeat(60_000) },
  })
})

it('lists the objects of a Helm release, but not its content', () => {
  const release = Buffer.from('junk').toString('base64')
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { release } }
  const recorded = toRecordedObject({ ...secret, type: 'helm.sh/release.v1' })
  expect(recorded).toMatchObject({ data: { release: expect.stringMatching(/^sha256:/) }, release: [] })
  expect(toRecordedObject(secret)).not.toHaveProperty('release')
})
