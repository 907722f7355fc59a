/** Tests of the StatefulSet controller on a fake node. */
import type { StatefulSet, StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { controllerRevisions, persistentVolumeClaims, pods, statefulSets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { statefulSetController } from './stateful-set.ts'

const template = (image: string): StatefulSetSpec['template'] => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 1 },
})

const specOf = (replicas: number, overrides: Partial<StatefulSetSpec> = {}): StatefulSetSpec => ({
  replicas,
  serviceName: 'db',
  selector: { matchLabels: { app: 'db' } },
  template: template('a'),
  podManagementPolicy: 'OrderedReady',
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  revisionHistoryLimit: 10,
  ...overrides,
})

const data = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}

const start = (spec: StatefulSetSpec): TestCluster => {
  const cluster = createTestCluster([statefulSetController])
  cluster.client.create(statefulSets, { metadata: { name: 'db', namespace: 'default' }, spec })
  return cluster
}

const db = ({ client }: TestCluster): Stored<StatefulSet> => client.get(statefulSets, 'default', 'db')!

const updateSpec = (cluster: TestCluster, spec: Partial<StatefulSetSpec>): void => {
  const set = db(cluster)
  cluster.client.update(statefulSets, { ...set, spec: { ...set.spec, ...spec } })
}

const podNames = ({ client }: TestCluster): string[] => client.list(pods).map(({ metadata }) => metadata.name)
const images = ({ client }: TestCluster): (string | undefined)[] =>
  client.list(pods).map(({ spec }) => spec.containers[0]!.image)

describe('ordered pods', () => {
  it('are created in order, with identity, claims and events', () => {
    const cluster = start(specOf(2, { volumeClaimTemplates: [data] }))
    cluster.clock.advance(900)
    expect(podNames(cluster)).toEqual(['db-0'])
    cluster.clock.advance(5000)
    expect(podNames(cluster)).toEqual(['db-0', 'db-1'])
    const pod = cluster.client.get(pods, 'default', 'db-1')!
    const revision = cluster.client.list(controllerRevisions)[0]!.metadata.name
    expect(revision).toMatch(/^db-[bcdf4-9]{8,10}$/)
    expect(pod.metadata.labels).toEqual({
      app: 'db',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': revision,
      'statefulset.kubernetes.io/pod-name': 'db-1',
    })
    expect(pod.spec).toMatchObject({ hostname: 'db-1', subdomain: 'db' })
    expect(pod.spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-db-1' },
    })
    const claims = cluster.client.list(persistentVolumeClaims)
    expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1'])
    expect(claims[0]!.metadata.ownerReferences).toBeUndefined()
    expect(db(cluster).status).toEqual({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
      availableReplicas: 2,
    })
    expect(cluster.eventsOf('db')).toEqual([
      'SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db success',
      'SuccessfulCreate: create Pod db-0 in StatefulSet db successful',
      'SuccessfulCreate: create Claim data-db-1 Pod db-1 in StatefulSet db success',
      'SuccessfulCreate: create Pod db-1 in StatefulSet db successful',
    ])
    expect(cluster.errors).toEqual([])
  })

  it('are deleted in reverse order, one at a time, and keep their claims', () => {
    const cluster = start(specOf(3, { volumeClaimTemplates: [data] }))
    cluster.clock.advance(10_000)
    updateSpec(cluster, { replicas: 1 })
    cluster.clock.advance(400)
    expect(podNames(cluster)).toEqual(['db-0', 'db-1', 'db-2'])
    cluster.clock.advance(300)
    expect(podNames(cluster)).toEqual(['db-0', 'db-1'])
    cluster.clock.advance(5000)
    expect(podNames(cluster)).toEqual(['db-0'])
    expect(cluster.client.list(persistentVolumeClaims)).toHaveLength(3)
  })

  it('own their claims once scaled down, if the retention policy is Delete', () => {
    const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' }
    const spec = specOf(2, { volumeClaimTemplates: [data], persistentVolumeClaimRetentionPolicy: policy })
    const cluster = start(spec)
    cluster.clock.advance(10_000)
    const ownerKindOf = (name: string) =>
      cluster.client.get(persistentVolumeClaims, 'default', name)!.metadata.ownerReferences?.[0]?.kind
    expect(ownerKindOf('data-db-1')).toBe('StatefulSet')
    updateSpec(cluster, { replicas: 1 })
    cluster.clock.advance(5000)
    expect([ownerKindOf('data-db-0'), ownerKindOf('data-db-1')]).toEqual(['StatefulSet', 'Pod'])
  })

  it('start at spec.ordinals.start', () => {
    const cluster = start(specOf(2, { ordinals: { start: 5 } }))
    cluster.clock.advance(10_000)
    expect(podNames(cluster)).toEqual(['db-5', 'db-6'])
  })
})

describe('an update', () => {
  it('replaces pods from the last to the first and then advances the current revision', () => {
    const cluster = start(specOf(3))
    cluster.clock.advance(10_000)
    const before = db(cluster).status.currentRevision
    updateSpec(cluster, { template: template('b') })
    cluster.clock.advance(1200)
    expect(images(cluster)).toEqual(['a', 'a', 'b'])
    expect(db(cluster).status).toMatchObject({ currentRevision: before, updatedReplicas: 1 })
    cluster.clock.advance(10_000)
    expect(images(cluster)).toEqual(['b', 'b', 'b'])
    expect(db(cluster).status.currentRevision).not.toBe(before)
    expect(db(cluster).status.currentRevision).toBe(db(cluster).status.updateRevision)
  })

  it('stops at the partition, and recreates deleted pods below it from the current revision', () => {
    const cluster = start(specOf(3))
    cluster.clock.advance(10_000)
    updateSpec(cluster, {
      template: template('b'),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
    })
    cluster.clock.advance(10_000)
    expect(images(cluster)).toEqual(['a', 'a', 'b'])
    cluster.client.delete(pods, 'default', 'db-0')
    cluster.clock.advance(10_000)
    expect(images(cluster)).toEqual(['a', 'a', 'b'])
  })

  it('stays blocked by a broken pod until that pod is deleted, even after the template is fixed', () => {
    const cluster = start(specOf(2))
    cluster.clock.advance(10_000)
    cluster.podOutcome = ({ spec }) => (spec.containers[0]!.image === 'bad' ? 'unready' : 'ready')
    updateSpec(cluster, { template: template('bad') })
    cluster.clock.advance(10_000)
    updateSpec(cluster, { template: template('a') })
    cluster.clock.advance(60_000)
    expect(images(cluster)).toEqual(['a', 'bad'])
    cluster.client.delete(pods, 'default', 'db-1')
    cluster.clock.advance(10_000)
    expect(images(cluster)).toEqual(['a', 'a'])
    expect(
      cluster.client
        .list(controllerRevisions)
        .map(({ revision }) => revision)
        .sort(),
    ).toEqual([2, 3])
  })

  it('waits for the user to delete pods under OnDelete', () => {
    const cluster = start(specOf(2, { updateStrategy: { type: 'OnDelete' } }))
    cluster.clock.advance(10_000)
    updateSpec(cluster, { template: template('b') })
    cluster.clock.advance(10_000)
    expect(images(cluster)).toEqual(['a', 'a'])
    cluster.client.delete(pods, 'default', 'db-0')
    cluster.clock.advance(10_000)
    expect(images(cluster)).toEqual(['b', 'a'])
  })
})

it('creates all pods at once under Parallel', () => {
  const cluster = start(specOf(3, { podManagementPolicy: 'Parallel' }))
  cluster.clock.advance(100)
  expect(podNames(cluster)).toHaveLength(3)
})

it('recreates a pod that has failed', () => {
  const cluster = start(specOf(1))
  cluster.clock.advance(5000)
  const first = cluster.client.get(pods, 'default', 'db-0')!
  cluster.reportStatus(first, { phase: 'Failed' })
  cluster.clock.advance(5000)
  expect(cluster.client.get(pods, 'default', 'db-0')!.metadata.uid).not.toBe(first.metadata.uid)
  expect(cluster.eventsOf('db')).toContain(
    'RecreatingFailedPod: StatefulSet default/db is recreating failed Pod db-0',
  )
})
