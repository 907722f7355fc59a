/** Tests of a whole cluster with simulated containers: determinism, errors, the in-process API and stop. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { trainTicketDeployments } from '#bench'
import { createRandom, createVirtualClock, deepFreeze } from '#kit'
import { configMaps, deployments, pods } from '#platform/kube/kinds'
import { createSimulatedRuntime } from '#platform/kube/runtimes/simulated'
import { createCluster } from './create-cluster.ts'

const startCluster = (seed: string) => {
  const clock = createVirtualClock()
  const random = createRandom(seed)
  const errors: unknown[] = []
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    store: { seal: deepFreeze },
    runtimeFor: (_node, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex }),
    onError: (source, error) => errors.push([source, error]),
  })
  return { clock, cluster, errors }
}

/** Returns every change of every object as one string. */
const recordChanges = (seed: string): string => {
  const { clock, cluster, errors } = startCluster(seed)
  const lines: string[] = []
  cluster.resources.store.watch('*', ({ type, object }) => lines.push(`${type} ${JSON.stringify(object)}`))
  clock.advance(1000)
  const { client } = cluster.resources
  for (const deployment of trainTicketDeployments()) client.create(deployments, deployment as never)
  expect(
    clock.advanceUntil(
      () => client.list(deployments).every(({ status }) => status.readyReplicas === 1),
      300_000,
    ),
  ).toBe(true)
  clock.advance(60_000)
  cluster.stop()
  expect(errors).toEqual([])
  return lines.join('\n')
}

describe('createCluster', () => {
  it('makes the 50 Deployments of Train-Ticket ready, with byte-identical changes for the same seed', () => {
    const first = recordChanges('a')
    expect(first.split('\n').length).toBeGreaterThan(1000)
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
    expect(digest(recordChanges('a'))).toBe(digest(first))
    expect(digest(recordChanges('b'))).not.toBe(digest(first))
  })

  it('reports a watcher that throws, and continues', () => {
    const { cluster, errors } = startCluster('a')
    const { client } = cluster.resources
    const broken = new Error('broken')
    client.watch(configMaps, () => {
      throw broken
    })
    client.create(configMaps, { metadata: { name: 'a', namespace: 'default' } })
    expect(errors).toEqual([['watch', broken]])
    cluster.stop()
  })

  it('serves the KubeApi port in process, under RBAC', async () => {
    const { clock, cluster } = startCluster('a')
    clock.advance(1000)
    const admin = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
    const unauthorized = cluster.apiFor({ username: 'stranger', groups: ['system:authenticated'] })
    const ref = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'default' }
    await admin.create(ref, trainTicketDeployments()[0]!)
    clock.advance(30_000)
    const { items } = await admin.list({ apiVersion: 'v1', plural: 'pods', namespace: 'default' })
    expect(items.map((pod) => (pod as { status?: { phase?: string } }).status?.phase)).toEqual(['Running'])
    await expect(unauthorized.list(ref)).rejects.toThrow(
      'deployments.apps is forbidden: User "stranger" cannot list resource "deployments" in API group "apps" in the namespace "default"',
    )
    cluster.stop()
  })

  it('writes nothing after stop', () => {
    const { clock, cluster } = startCluster('a')
    clock.advance(5000)
    cluster.stop()
    const writes: string[] = []
    cluster.resources.store.watch('*', ({ type, object }) => writes.push(`${type} ${object.metadata.name}`))
    clock.advance(3_600_000)
    expect(writes).toEqual([])
    expect(cluster.resources.client.list(pods)).toEqual([])
  })
})
