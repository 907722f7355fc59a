/** Tests that a degraded node affects existing pods, new pods and restarted containers until it is restored. */
import { expect, it } from 'vitest'
import type { ApiObject, FaultContext, ObjectEvent } from '#spec'
import { injectOnNode, removeChaosSet } from './pod-chaos-set.ts'

const toPod = (name: string, containerID?: string, app?: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', ...(app === undefined ? {} : { labels: { app } }) },
  spec: { nodeName: 'node1', containers: [{ name: 'c' }] },
  status:
    containerID === undefined
      ? { phase: 'Pending' }
      : { phase: 'Running', containerStatuses: [{ name: 'c', containerID }] },
})

/** A fake cluster in which every chaos object is injected at once. */
const createFakeCluster = (pods: readonly ApiObject[]) => {
  const chaos = new Map<string, ApiObject>()
  let emit: (event: ObjectEvent) => void = () => {}
  let watches = 0
  let createdCount = 0
  const throwNotFound = (): never => {
    throw Object.assign(new Error('not found'), { code: 404 })
  }
  const controller = new AbortController()
  const context = {
    system: { namespace: 'shop' },
    laboratory: 'laboratory',
    signal: controller.signal,
    sleep: async () => {},
    api: {
      list: async ({ plural }: { plural: string }) => ({
        items: plural === 'pods' ? pods : [...chaos.values()],
      }),
      get: async ({ name }: { name: string }) => chaos.get(name) ?? throwNotFound(),
      create: async (_ref: object, object: ApiObject) => {
        const status = { conditions: [{ type: 'AllInjected', status: 'True' }] }
        createdCount += 1
        const metadata = { ...object.metadata, uid: String(createdCount) }
        chaos.set(object.metadata.name, { ...object, metadata, status })
        return chaos.get(object.metadata.name)
      },
      delete: async ({ name }: { name: string }) => {
        if (!chaos.delete(name)) throwNotFound()
      },
      watch: async (_ref: object, _options: object, onEvent: (event: ObjectEvent) => void) => {
        emit = onEvent
        watches += 1
        return () => {
          emit = () => {}
          watches -= 1
        }
      },
    },
  } as unknown as FaultContext
  return {
    context,
    controller,
    watches: () => watches,
    watcher: () => emit,
    chaosNames: () => [...chaos.keys()],
    async emitEvent(type: ObjectEvent['type'], object: ApiObject) {
      emit({ type, object })
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const CHAOS = {
  name: 'slow',
  kind: 'NetworkChaos',
  spec: { action: 'delay' },
  isEligible: () => true,
} as const

it('affects existing pods, new pods once they run, and restarted containers', async () => {
  const cluster = createFakeCluster([toPod('a', 'a1')])
  await injectOnNode(cluster.context, 'node1', CHAOS)
  expect(cluster.chaosNames()).toEqual(['slow-a'])
  await cluster.emitEvent('MODIFIED', toPod('a', 'a1'))
  await cluster.emitEvent('ADDED', toPod('b'))
  expect(cluster.chaosNames()).toEqual(['slow-a'])
  await cluster.emitEvent('MODIFIED', toPod('b', 'b1'))
  await cluster.emitEvent('MODIFIED', toPod('a', 'a2'))
  expect(cluster.chaosNames()).toEqual(['slow-a', 'slow-b-2', 'slow-a-3'])
})

it('skips pods that cannot be affected', async () => {
  const cluster = createFakeCluster([toPod('a', 'a1'), toPod('store', 's1')])
  const isEligible = ({ metadata }: ApiObject): boolean => metadata.name !== 'store'
  await injectOnNode(cluster.context, 'node1', { ...CHAOS, isEligible })
  await cluster.emitEvent('MODIFIED', toPod('store', 's2'))
  expect(cluster.chaosNames()).toEqual(['slow-a'])
})

it('does not affect new pods after it is removed', async () => {
  const cluster = createFakeCluster([toPod('a', 'a1')])
  await injectOnNode(cluster.context, 'node1', CHAOS)
  await cluster.emitEvent('ADDED', toPod('b', 'b1'))
  await removeChaosSet(cluster.context, CHAOS)
  await cluster.emitEvent('ADDED', toPod('c', 'c1'))
  expect(cluster.chaosNames()).toEqual([])
  expect(cluster.watches()).toBe(0)
})

it('stops following earlier pods after a new injection', async () => {
  const cluster = createFakeCluster([toPod('a', 'a1')])
  await injectOnNode(cluster.context, 'node1', CHAOS)
  const earlierWatcher = cluster.watcher()
  await removeChaosSet(cluster.context, CHAOS)
  await injectOnNode(cluster.context, 'node1', CHAOS)
  earlierWatcher({ type: 'MODIFIED', object: toPod('a', 'a2') })
  await cluster.emitEvent('MODIFIED', toPod('a', 'a1'))
  expect(cluster.chaosNames()).toEqual(['slow-a'])
})

it('stops watching at the end of the episode', async () => {
  const cluster = createFakeCluster([toPod('a', 'a1')])
  await injectOnNode(cluster.context, 'node1', CHAOS)
  cluster.controller.abort()
  expect(cluster.watches()).toBe(0)
})

it('affects pods on the node again if a pod of the peer starts', async () => {
  const cluster = createFakeCluster([toPod('a', 'a1')])
  await injectOnNode(cluster.context, 'node1', { ...CHAOS, peer: 'store' })
  await cluster.emitEvent('ADDED', toPod('store', 's2', 'store'))
  expect(cluster.chaosNames()).toEqual(['slow-a', 'slow-a-2'])
})

it('does nothing on a node without pods', async () => {
  const cluster = createFakeCluster([])
  expect(await injectOnNode(cluster.context, 'node1', CHAOS)).toEqual([])
  expect(cluster.chaosNames()).toEqual([])
  expect(cluster.watches()).toBe(0)
})
