/** Tests that deletions include all dependents, even with finalizers. */
import { expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import {
  createCluster,
  createSimulatedRuntime,
  deployments,
  type KubeObject,
  pods,
} from '#platform/kube/simulated'
import { deleteWithDependents } from './delete-objects.ts'

it.each([
  'example.com/never',
  // The Job controller removes it only from pods of Jobs.
  'batch.kubernetes.io/job-tracking',
])('deletes pods whose template sets the finalizer %s', (finalizer) => {
  const clock = createVirtualClock()
  const random = createRandom('delete')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({}) }),
  })
  const { client } = cluster.resources
  clock.advance(10_000)
  const labels = { app: 'filler' }
  const finalizers = [finalizer]
  const filler = client.create(deployments, {
    metadata: { name: 'filler', namespace: 'default' },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, finalizers },
        spec: { containers: [{ name: 'c', image: 'i:1' }] },
      },
    },
  }) as unknown as KubeObject
  clock.advance(10_000)
  const [pod] = client.list(pods)
  expect(client.list(pods)).toHaveLength(3)
  // One of the pods is already terminating.
  client.delete(pods, 'default', pod!.metadata.name, { gracePeriodSeconds: 0 })
  expect(deleteWithDependents(client, { kind: deployments, object: filler })).toHaveLength(3)
  clock.advance(60_000)
  expect(client.list(pods)).toEqual([])
  cluster.stop()
})
