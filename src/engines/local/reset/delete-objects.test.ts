/** What goes at a reset takes all that depends on it along, whatever was done to keep it. */
import { expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '../../../kit/index.ts'
import {
  createCluster,
  createSimulatedRuntime,
  deployments,
  type KubeObject,
  pods,
} from '../../../kube/index.ts'
import { deleteWithDependents } from './delete-objects.ts'

it('deletes pods that their template has given a finalizer, so that they do not fill the store for ever', () => {
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
  const finalizers = ['example.com/never']
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
  // It may be on its way out already.
  client.delete(pods, 'default', pod!.metadata.name, { gracePeriodSeconds: 0 })
  expect(deleteWithDependents(client, { kind: deployments, object: filler })).toHaveLength(3)
  clock.advance(60_000)
  expect(client.list(pods)).toEqual([])
  cluster.stop()
})
