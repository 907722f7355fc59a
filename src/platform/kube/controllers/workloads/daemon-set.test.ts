/** Tests of the DaemonSet controller on fake nodes. */
import type { DaemonSet, DaemonSetSpec } from 'kubernetes-types/apps/v1.d.ts'
import { expect, it } from 'vitest'
import { controllerRevisions, daemonSets, nodes, pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { daemonSetController } from './daemon-set.ts'

const template = (image: string): DaemonSetSpec['template'] => ({
  metadata: { labels: { app: 'ds' } },
  spec: { containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 1 },
})

const addNode = (cluster: TestCluster, name: string, labels: Record<string, string> = {}): void => {
  cluster.client.create(nodes, { metadata: { name, labels }, spec: {} })
}

const start = (overrides: Partial<DaemonSetSpec> = {}): TestCluster => {
  const cluster = createTestCluster([daemonSetController])
  for (const name of ['node-1', 'node-2', 'node-3']) addNode(cluster, name)
  const spec: DaemonSetSpec = {
    selector: { matchLabels: { app: 'ds' } },
    template: template('a'),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    ...overrides,
  }
  cluster.client.create(daemonSets, { metadata: { name: 'ds', namespace: 'default' }, spec })
  return cluster
}

const ds = ({ client }: TestCluster): Stored<DaemonSet> => client.get(daemonSets, 'default', 'ds')!
const updateSpec = (cluster: TestCluster, spec: Partial<DaemonSetSpec>): void => {
  const set = ds(cluster)
  cluster.client.update(daemonSets, { ...set, spec: { ...set.spec, ...spec } })
}
const placements = ({ client }: TestCluster): string[] =>
  client
    .list(pods)
    .map(({ spec }) => `${spec.nodeName}:${spec.containers[0]!.image}`)
    .sort()

it('creates one pod per node, pinned by name, with the default tolerations', () => {
  const cluster = start()
  cluster.clock.advance(3000)
  expect(placements(cluster)).toEqual(['node-1:a', 'node-2:a', 'node-3:a'])
  const pod = cluster.client.list(pods).find(({ spec }) => spec.nodeName === 'node-2')!
  const hash = cluster.client.list(controllerRevisions)[0]!.metadata.name.slice('ds-'.length)
  expect(pod.metadata.name).toMatch(/^ds-.{5}$/)
  expect(pod.metadata.labels!['controller-revision-hash']).toBe(hash)
  expect(pod.spec.affinity).toEqual({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-2'] }] }],
      },
    },
  })
  expect(pod.spec.tolerations!.map(({ key, effect }) => `${key?.split('/')[1]} ${effect}`)).toEqual([
    'not-ready NoExecute',
    'unreachable NoExecute',
    'disk-pressure NoSchedule',
    'memory-pressure NoSchedule',
    'pid-pressure NoSchedule',
    'unschedulable NoSchedule',
  ])
  expect(ds(cluster).status).toEqual({
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    desiredNumberScheduled: 3,
    numberReady: 3,
    observedGeneration: 1,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
  })
  expect(cluster.errors).toEqual([])
})

it('reacts to new nodes, labels and taints', () => {
  const withSelector = template('a')
  const cluster = start({
    template: { ...withSelector, spec: { ...withSelector.spec!, nodeSelector: { disk: 'ssd' } } },
  })
  cluster.clock.advance(3000)
  expect(placements(cluster)).toEqual([])
  addNode(cluster, 'node-4', { disk: 'ssd' })
  cluster.clock.advance(3000)
  expect(placements(cluster)).toEqual(['node-4:a'])
  const node = cluster.client.get(nodes, '', 'node-4')!
  cluster.client.update(nodes, {
    ...node,
    spec: { ...node.spec, taints: [{ key: 'gone', effect: 'NoExecute' }] },
  })
  cluster.clock.advance(3000)
  expect(placements(cluster)).toEqual([])
})

it('updates one node at a time', () => {
  const cluster = start()
  cluster.clock.advance(3000)
  updateSpec(cluster, { template: template('b') })
  for (let step = 0; step < 60; step += 1) {
    cluster.clock.advance(100)
    expect(ds(cluster).status.numberAvailable ?? 0).toBeGreaterThanOrEqual(2)
  }
  expect(placements(cluster)).toEqual(['node-1:b', 'node-2:b', 'node-3:b'])
})

it('deletes the old pod only once the new one is available, with maxSurge', () => {
  const cluster = start({
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  })
  cluster.clock.advance(3000)
  updateSpec(cluster, { template: template('b') })
  let max = 0
  for (let step = 0; step < 100; step += 1) {
    cluster.clock.advance(100)
    const running = cluster.client
      .list(pods)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    max = Math.max(max, running.length)
    expect(running.length).toBeGreaterThanOrEqual(3)
  }
  expect(max).toBe(4)
  expect(placements(cluster)).toEqual(['node-1:b', 'node-2:b', 'node-3:b'])
})

it('does not replace old pods under OnDelete', () => {
  const cluster = start({ updateStrategy: { type: 'OnDelete' } })
  cluster.clock.advance(3000)
  updateSpec(cluster, { template: template('b') })
  cluster.clock.advance(3000)
  expect(placements(cluster)).toEqual(['node-1:a', 'node-2:a', 'node-3:a'])
  const [first] = cluster.client.list(pods)
  cluster.client.delete(pods, 'default', first!.metadata.name)
  cluster.clock.advance(3000)
  expect(placements(cluster).filter((placement) => placement.endsWith(':b'))).toHaveLength(1)
})

it('keeps the conditions of other clients', () => {
  const cluster = start()
  cluster.clock.advance(3000)
  const set = ds(cluster)
  const conditions = [{ type: 'Checked', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }]
  cluster.client.updateStatus(daemonSets, { ...set, status: { ...set.status, conditions } })
  addNode(cluster, 'node-4')
  cluster.clock.advance(3000)
  expect(ds(cluster).status).toMatchObject({ desiredNumberScheduled: 4, conditions })
})
