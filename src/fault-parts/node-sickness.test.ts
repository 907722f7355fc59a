/** A sick node hits whoever is there, whoever comes and whoever starts anew, until it is well again. */
import { expect, it } from 'vitest'
import type { ApiObject, FaultContext, ObjectEvent } from '../spec/index.ts'
import { makeNodeSick, makeNodeWell } from './node-sickness.ts'

const podOn = (name: string, containerID?: string, app?: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', ...(app === undefined ? {} : { labels: { app } }) },
  spec: { nodeName: 'node1', containers: [{ name: 'c' }] },
  status:
    containerID === undefined
      ? { phase: 'Pending' }
      : { phase: 'Running', containerStatuses: [{ name: 'c', containerID }] },
})

/** A cluster in which every chaos object is in force at once. */
const createFakeCluster = (pods: readonly ApiObject[]) => {
  const chaos = new Map<string, ApiObject>()
  let tell: (event: ObjectEvent) => void = () => {}
  let watches = 0
  let made = 0
  const missing = (): never => {
    throw Object.assign(new Error('not found'), { code: 404 })
  }
  const ending = new AbortController()
  const context = {
    system: { namespace: 'shop' },
    laboratory: 'laboratory',
    signal: ending.signal,
    sleep: async () => {},
    api: {
      list: async ({ plural }: { plural: string }) => ({
        items: plural === 'pods' ? pods : [...chaos.values()],
      }),
      get: async ({ name }: { name: string }) => chaos.get(name) ?? missing(),
      create: async (_ref: object, object: ApiObject) => {
        const status = { conditions: [{ type: 'AllInjected', status: 'True' }] }
        made += 1
        const metadata = { ...object.metadata, uid: String(made) }
        chaos.set(object.metadata.name, { ...object, metadata, status })
        return chaos.get(object.metadata.name)
      },
      delete: async ({ name }: { name: string }) => {
        if (!chaos.delete(name)) missing()
      },
      watch: async (_ref: object, _options: object, onEvent: (event: ObjectEvent) => void) => {
        tell = onEvent
        watches += 1
        return () => {
          tell = () => {}
          watches -= 1
        }
      },
    },
  } as unknown as FaultContext
  return {
    context,
    ending,
    watches: () => watches,
    watcher: () => tell,
    hit: () => [...chaos.keys()],
    async happens(type: ObjectEvent['type'], object: ApiObject) {
      tell({ type, object })
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const SICKNESS = { name: 'slow', kind: 'NetworkChaos', spec: { action: 'delay' }, isFit: () => true } as const

it('hits those there, newcomers once they run, and containers that start anew', async () => {
  const cluster = createFakeCluster([podOn('a', 'a1')])
  await makeNodeSick(cluster.context, 'node1', SICKNESS)
  expect(cluster.hit()).toEqual(['slow-a'])
  await cluster.happens('MODIFIED', podOn('a', 'a1'))
  await cluster.happens('ADDED', podOn('b'))
  expect(cluster.hit()).toEqual(['slow-a'])
  await cluster.happens('MODIFIED', podOn('b', 'b1'))
  await cluster.happens('MODIFIED', podOn('a', 'a2'))
  expect(cluster.hit()).toEqual(['slow-a', 'slow-b-2', 'slow-a-3'])
})

it('leaves those alone to whom it cannot be done', async () => {
  const cluster = createFakeCluster([podOn('a', 'a1'), podOn('store', 's1')])
  const isFit = ({ metadata }: ApiObject): boolean => metadata.name !== 'store'
  await makeNodeSick(cluster.context, 'node1', { ...SICKNESS, isFit })
  await cluster.happens('MODIFIED', podOn('store', 's2'))
  expect(cluster.hit()).toEqual(['slow-a'])
})

it('is over for newcomers too once it is taken back', async () => {
  const cluster = createFakeCluster([podOn('a', 'a1')])
  await makeNodeSick(cluster.context, 'node1', SICKNESS)
  await cluster.happens('ADDED', podOn('b', 'b1'))
  await makeNodeWell(cluster.context, SICKNESS)
  await cluster.happens('ADDED', podOn('c', 'c1'))
  expect(cluster.hit()).toEqual([])
  expect(cluster.watches()).toBe(0)
})

it('is not followed any more by what was before, once it is put there anew', async () => {
  const cluster = createFakeCluster([podOn('a', 'a1')])
  await makeNodeSick(cluster.context, 'node1', SICKNESS)
  const before = cluster.watcher()
  await makeNodeWell(cluster.context, SICKNESS)
  await makeNodeSick(cluster.context, 'node1', SICKNESS)
  before({ type: 'MODIFIED', object: podOn('a', 'a2') })
  await cluster.happens('MODIFIED', podOn('a', 'a1'))
  expect(cluster.hit()).toEqual(['slow-a'])
})

it('watches no longer than the episode', async () => {
  const cluster = createFakeCluster([podOn('a', 'a1')])
  await makeNodeSick(cluster.context, 'node1', SICKNESS)
  cluster.ending.abort()
  expect(cluster.watches()).toBe(0)
})

it('cuts those on the node off from whoever comes at the other side', async () => {
  const cluster = createFakeCluster([podOn('a', 'a1')])
  await makeNodeSick(cluster.context, 'node1', { ...SICKNESS, peer: 'store' })
  await cluster.happens('ADDED', podOn('store', 's2', 'store'))
  expect(cluster.hit()).toEqual(['slow-a', 'slow-a-2'])
})

it('leaves a node alone where nobody is any more', async () => {
  const cluster = createFakeCluster([])
  expect(await makeNodeSick(cluster.context, 'node1', SICKNESS)).toEqual([])
  expect(cluster.hit()).toEqual([])
  expect(cluster.watches()).toBe(0)
})
