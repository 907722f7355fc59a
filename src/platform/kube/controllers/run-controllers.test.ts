/** Tests of the controller runner: queues, turns, retries and requeues. */
import { describe, expect, it } from 'vitest'
import { configMaps } from '#platform/kube/kinds'
import { conflict } from '#platform/kube/meta'
import { type Controller, defineController, keyOf, watching } from './define-controller.ts'
import { createTestCluster, type TestCluster } from './testing/create-test-cluster.ts'
import { watchEverything } from './watch-everything.ts'

const watches = [watching(configMaps, ({ object }) => [keyOf(object)])]

const add = ({ client }: TestCluster, name: string): void => {
  client.create(configMaps, { metadata: { name, namespace: 'default' } })
}

const run = (reconcile: Controller['reconcile']): TestCluster =>
  createTestCluster([defineController({ name: 'probe', watches, reconcile })])

describe('runControllers', () => {
  it('reconciles each key once per turn, in the order of arrival', () => {
    const seen: string[] = []
    const cluster = run((key) => seen.push(key))
    add(cluster, 'b')
    add(cluster, 'a')
    const stored = cluster.client.get(configMaps, 'default', 'b')!
    cluster.client.update(configMaps, { ...stored, data: { x: '1' } })
    expect(seen).toEqual([])
    cluster.clock.advance(0)
    expect(seen).toEqual(['default/b', 'default/a'])
  })

  it('retries a failure after 5, 10, 20 ... ms and reports it unless it is a conflict', () => {
    const times: number[] = []
    const cluster = run((_, { clock }) => {
      times.push(clock.now())
      if (times.length === 1) throw conflict(configMaps, 'a', 'modified')
      if (times.length < 5) throw new Error('no')
    })
    add(cluster, 'a')
    cluster.clock.advance(10_000)
    const first = times[0]!
    expect(times.map((time) => time - first)).toEqual([0, 5, 15, 35, 75])
    expect(cluster.errors).toHaveLength(3)
  })

  it('requeues at the earliest requested time', () => {
    const times: number[] = []
    const cluster = run((key, { clock, requeue }) => {
      times.push(clock.now())
      if (times.length > 1) return
      requeue(key, 1000)
      requeue(key, 500)
      requeue(key, 2000)
    })
    add(cluster, 'a')
    cluster.clock.advance(10_000)
    expect(times).toHaveLength(2)
    expect(times[1]! - times[0]!).toBe(500)
  })

  it('reconciles no key after it is stopped', () => {
    const seen: string[] = []
    const cluster = run((key, { requeue }) => {
      seen.push(key)
      requeue(key, 100)
    })
    add(cluster, 'a')
    cluster.clock.advance(50)
    cluster.controllers.stop()
    add(cluster, 'b')
    cluster.clock.advance(10_000)
    expect(seen).toEqual(['default/a'])
  })

  it('calls the stop function of a controller', () => {
    const received: string[] = []
    const probe = defineController({
      name: 'probe',
      watches: [],
      start: ({ client }) => watchEverything(client, (_, { object }) => received.push(keyOf(object))),
      reconcile() {},
    })
    const cluster = createTestCluster([probe])
    add(cluster, 'a')
    expect(received).toContain('default/a')
    cluster.controllers.stop()
    add(cluster, 'b')
    expect(received).not.toContain('default/b')
  })
})
