/** What is kept of objects, and which changes are worth a record. */
import { expect, it } from 'vitest'
import type { ApiObject } from '../spec/index.ts'
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
    conditions: [
      { type: 'Ready', status: 'True', lastTransitionTime: 'then' },
      { type: 'Initialized', status: 'True' },
    ],
    containerStatuses: [{ name: 'main', ready: true, restartCount: 2, image: 'a:1', containerID: 'x' }],
    ...change,
  },
})

it('keeps what a pod is and how it fares, and no noise', () => {
  expect(toRecordedObject(pod())).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cart-1', namespace: 'shop', uid: 'u' },
    spec: { nodeName: 'node-1' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'main', ready: true, restartCount: 2, image: 'a:1' }],
    },
  })
})

it('keeps of a Secret what can be compared and not read', () => {
  const secret = (password: string): ApiObject =>
    toRecordedObject({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password } })
  expect(JSON.stringify(secret('aHVudGVyMg=='))).not.toContain('aHVudGVyMg')
  expect(secret('a')).toEqual(secret('a'))
  expect(secret('a')).not.toEqual(secret('b'))
})

it('lets only changes pass that a record would show', () => {
  const filter = createChangeFilter()
  const change = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject) =>
    filter.pass({ type, object })?.change
  expect(change('ADDED', pod())).toBe('added')
  expect(change('MODIFIED', pod({ podIP: '10.0.0.8' }))).toBeUndefined()
  expect(change('MODIFIED', pod({ phase: 'Failed' }))).toBe('modified')
  expect(filter.list()).toHaveLength(1)
  expect(change('DELETED', pod())).toBe('deleted')
  expect(filter.list()).toEqual([])
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-root-ca.crt', namespace: 'shop' },
  }
  expect(change('ADDED', map)).toBeUndefined()
})

it('leaves out what controllers do by themselves, and only that', () => {
  const object = (apiVersion: string, kind: string, name: string, more: object = {}): ApiObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'shop' },
    ...more,
  })
  const owned = { ownerReferences: [{ kind: 'Deployment', name: 'cart', controller: true }] }
  const filter = createChangeFilter()
  const isKept = (one: ApiObject) => filter.pass({ type: 'ADDED', object: one }) !== undefined
  expect(isKept(object('v1', 'Service', 'cart', { spec: { selector: { app: 'cart' } } }))).toBe(true)
  expect(isKept(object('v1', 'Endpoints', 'cart', { subsets: [] }))).toBe(false)
  expect(isKept(object('v1', 'Endpoints', 'outside', { subsets: [] }))).toBe(true)
  const set = object('apps/v1', 'ReplicaSet', 'mine')
  expect(isKept(set)).toBe(true)
  const annotations = { 'deployment.kubernetes.io/revision': '2' }
  expect(isKept({ ...set, metadata: { ...set.metadata, name: 'cart-1', ...owned, annotations } })).toBe(false)
  // Adopted, but made by hand.
  expect(isKept({ ...set, metadata: { ...set.metadata, name: 'note', ...owned } })).toBe(true)
})

it('keeps how a program ended last', () => {
  const terminated = { exitCode: 137, reason: 'Error', containerID: 'x', finishedAt: 'then' }
  const status = { name: 'main', ready: true, restartCount: 1, image: 'a:1', lastState: { terminated } }
  const recorded = toRecordedObject(pod({ containerStatuses: [status] })).status
  expect(recorded).toMatchObject({
    containerStatuses: [{ lastState: { terminated: { exitCode: 137, reason: 'Error' } } }],
  })
  expect(JSON.stringify(recorded)).not.toContain('then')
})

it('keeps of what is huge only what tells it from others', () => {
  const map = (data: Record<string, string>): ApiObject =>
    toRecordedObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm', namespace: 'shop' },
      data,
    })
  const long = 'x'.repeat(1_000_000)
  expect(map({ long, short: 'y' })).toMatchObject({
    metadata: { name: 'm', namespace: 'shop' },
    data: { long: expect.stringMatching(/^sha256:/), short: 'y' },
  })
  expect(map({ long })).not.toEqual(map({ long: `${long}x` }))
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key-${index}`, 'value']))
  expect(JSON.stringify(map(many)).length).toBeLessThan(300)
  expect(map(many)).not.toEqual(map({ ...many, more: '' }))
  expect(map({ text: 'z'.repeat(60_000) })).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', namespace: 'shop' },
    data: { text: 'z'.repeat(60_000) },
  })
})
