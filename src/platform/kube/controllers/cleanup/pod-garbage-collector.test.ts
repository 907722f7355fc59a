/** Tests of the pod garbage collector and the expiry of Events. */
import { describe, expect, it } from 'vitest'
import { events, nodes, pods } from '#platform/kube/kinds'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { createEventExpiry } from './event-expiry.ts'
import { createPodGarbageCollector } from './pod-garbage-collector.ts'

const start = (): TestCluster => {
  const cluster = createTestCluster([
    createPodGarbageCollector({ maxTerminatedPods: 2 }),
    createEventExpiry({ maxEvents: 20 }),
  ])
  cluster.podOutcome = () => 'pending'
  cluster.client.create(nodes, { metadata: { name: 'node1' } })
  return cluster
}

const addPod = ({ client }: TestCluster, name: string, nodeName?: string) =>
  client.create(pods, {
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
  })

const podNames = ({ client }: TestCluster): string[] => client.list(pods).map(({ metadata }) => metadata.name)

describe('pods', () => {
  it('of deleted nodes are deleted after a grace period', () => {
    const cluster = start()
    addPod(cluster, 'kept', 'node1')
    addPod(cluster, 'lost', 'node2')
    const conditions: unknown[] = []
    cluster.client.watch(pods, ({ object }) => conditions.push(...(object.status.conditions ?? [])))
    cluster.clock.advance(50_000)
    expect(podNames(cluster)).toEqual(['kept', 'lost'])
    cluster.clock.advance(20_000)
    expect(podNames(cluster)).toEqual(['kept'])
    expect(conditions).toContainEqual({
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:01:00Z',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    })
  })

  it('that are terminal are deleted, oldest first, if there are too many', () => {
    const cluster = start()
    for (const name of ['a', 'b', 'c']) {
      cluster.reportStatus(addPod(cluster, name, 'node1'), { phase: 'Succeeded' })
      cluster.clock.advance(1000)
    }
    cluster.clock.advance(20_000)
    expect(podNames(cluster)).toEqual(['b', 'c'])
  })
})

it('deletes Events one hour after their last occurrence', () => {
  const { client, clock } = start()
  const addEvent = (name: string): void => {
    client.create(events, {
      metadata: { name, namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      lastTimestamp: `${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
    } as never)
  }
  addEvent('old')
  clock.advance(1_800_000)
  addEvent('new')
  const eventNames = (): string[] => client.list(events).map(({ metadata }) => metadata.name)
  clock.advance(1_799_000)
  expect(eventNames()).toEqual(['new', 'old'])
  clock.advance(61_000)
  expect(eventNames()).toEqual(['new'])
})

it('deletes the oldest Events as soon as there are too many', () => {
  const { client, clock } = start()
  for (let index = 0; index < 50; index += 1) {
    client.create(events, {
      // Newer events get smaller names, so that the order of names is not the order of age.
      metadata: { name: `e${90 - index}`, namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
    })
    clock.advance(1000)
    expect(client.list(events).length).toBeLessThanOrEqual(21)
  }
  clock.advance(60_000)
  expect(client.list(events).map(({ metadata }) => metadata.name)).toEqual(
    Array.from({ length: 20 }, (_, index) => `e${41 + index}`),
  )
})
