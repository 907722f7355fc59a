/** Tests of the ReplicaSet controller: creation, adoption, release and deletion order of pods. */
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { limitRanges, pods, replicaSets, resourceQuotas } from '#platform/kube/kinds'
import { controllerOf, forbidden, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { defineController } from '../define-controller.ts'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { replicaSetController } from './replica-set.ts'

const container = { name: 'c', image: 'i' }

const start = (replicas: number, controller = replicaSetController): TestCluster => {
  const cluster = createTestCluster([controller])
  cluster.client.create(replicaSets, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [container], terminationGracePeriodSeconds: 1 },
      },
    },
  })
  return cluster
}

const web = ({ client }: TestCluster): Stored<ReplicaSet> => client.get(replicaSets, 'default', 'web')!
const scale = (cluster: TestCluster, replicas: number): void => {
  cluster.client.update(replicaSets, { ...web(cluster), spec: { ...web(cluster).spec, replicas } })
}
const runningPods = ({ client }: TestCluster): Stored<Pod>[] =>
  client.list(pods).filter(({ metadata }) => metadata.deletionTimestamp === undefined)

describe('the number of pods', () => {
  it('is restored after a pod is deleted or fails', () => {
    const cluster = start(3)
    cluster.clock.advance(3000)
    const [first, second] = cluster.client.list(pods)
    cluster.client.delete(pods, 'default', first!.metadata.name)
    cluster.reportStatus(second!, { phase: 'Failed' })
    cluster.clock.advance(3000)
    expect(web(cluster).status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    })
  })

  it('shrinks by unready pods first, then by deletion cost', () => {
    const cluster = start(4)
    cluster.clock.advance(3000)
    const [cheap, unready, ...rest] = cluster.client.list(pods)
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-5' }
    cluster.client.update(pods, { ...cheap!, metadata: { ...cheap!.metadata, annotations } })
    cluster.reportStatus(unready!, { conditions: [{ type: 'Ready', status: 'False' }] })
    cluster.clock.advance(100)
    scale(cluster, 3)
    cluster.clock.advance(100)
    expect(runningPods(cluster).map(({ metadata }) => metadata.name)).not.toContain(unready!.metadata.name)
    scale(cluster, 2)
    cluster.clock.advance(100)
    expect(runningPods(cluster).map(({ metadata }) => metadata.name)).toEqual(
      rest.map(({ metadata }) => metadata.name),
    )
    expect(cluster.eventsOf('web')).toContain(`SuccessfulDelete: Deleted pod: ${unready!.metadata.name}`)
  })
})

describe('ownership', () => {
  it('adopts an orphan that matches the selector and releases a pod that no longer does', () => {
    const cluster = start(1)
    cluster.clock.advance(3000)
    const [ownPod] = cluster.client.list(pods)
    cluster.client.update(pods, { ...ownPod!, metadata: { ...ownPod!.metadata, labels: { app: 'debug' } } })
    cluster.clock.advance(3000)
    expect(controllerOf(cluster.client.get(pods, 'default', ownPod!.metadata.name)!)).toBeUndefined()
    expect(web(cluster).status.replicas).toBe(1)

    cluster.client.create(pods, {
      metadata: { name: 'orphan', namespace: 'default', labels: { app: 'web' } },
      spec: { containers: [container] },
    })
    cluster.clock.advance(50)
    // The orphan is adopted and, as the younger of two pods, deleted.
    expect(cluster.client.get(pods, 'default', 'orphan')).toBeUndefined()
    expect(web(cluster).status.replicas).toBe(1)
  })

  it('ignores matching pods in another namespace', () => {
    const cluster = start(1)
    cluster.client.create(pods, {
      metadata: { name: 'stranger', namespace: 'elsewhere', labels: { app: 'web' } },
      spec: { containers: [container] },
    })
    cluster.clock.advance(3000)
    expect(controllerOf(cluster.client.get(pods, 'elsewhere', 'stranger')!)).toBeUndefined()
  })
})

/** Returns the controller with a client that rejects new pods until `allowed` returns true. */
const rejectingController = (allowed: () => boolean) =>
  defineController({
    ...replicaSetController,
    reconcile(key, context) {
      const create: Client['create'] = (kind, draft) => {
        if (!allowed()) throw forbidden({ group: '', plural: 'pods' }, 'web-', 'exceeded quota: small')
        return context.client.create(kind, draft)
      }
      replicaSetController.reconcile(key, { ...context, client: { ...context.client, create } })
    },
  })

it('reports why pods cannot be created, retries with one pod at a time, and recovers', () => {
  let allowed = false
  const cluster = start(
    5,
    rejectingController(() => allowed),
  )
  cluster.clock.advance(3)
  const message = 'pods "web-" is forbidden: exceeded quota: small'
  expect(cluster.eventsOf('web')).toEqual([`FailedCreate: Error creating: ${message}`])
  expect(web(cluster).status.conditions).toMatchObject([
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message },
  ])
  cluster.clock.advance(1000)
  expect(cluster.errors.length).toBeGreaterThan(3)
  allowed = true
  cluster.clock.advance(10_000)
  expect(web(cluster).status).toMatchObject({ replicas: 5, readyReplicas: 5 })
  expect(web(cluster).status.conditions).toBeUndefined()
})

describe('a policy that rejects pods', () => {
  const metadata = { name: 'policy', namespace: 'default' }
  const createPolicy = {
    LimitRange: ({ client }: TestCluster) =>
      client.create(limitRanges, { metadata, spec: { limits: [{ type: 'Container', max: { cpu: '1m' } }] } }),
    ResourceQuota: ({ client }: TestCluster) =>
      client.create(resourceQuotas, { metadata, spec: { hard: { pods: '0' } } }),
  }
  /** Starts with a policy that rejects pods, and advances until the back-off exceeds a minute. */
  const startRejected = (kind: keyof typeof createPolicy) => {
    let allowed = false
    const cluster = start(
      1,
      rejectingController(() => allowed),
    )
    createPolicy[kind](cluster)
    cluster.clock.advance(100_000)
    allowed = true
    return cluster
  }

  it.each([
    ['LimitRange', ({ client }: TestCluster) => client.delete(limitRanges, 'default', 'policy')],
    ['ResourceQuota', ({ client }: TestCluster) => client.delete(resourceQuotas, 'default', 'policy')],
  ] as const)('triggers a retry when it is deleted: %s', (kind, remove) => {
    const cluster = startRejected(kind)
    cluster.clock.advance(2000)
    expect(runningPods(cluster)).toEqual([])
    remove(cluster)
    cluster.clock.advance(2000)
    expect(web(cluster).status).toMatchObject({ readyReplicas: 1 })
  })

  it('triggers a retry when its limits change, but not when only its usage changes', () => {
    const cluster = startRejected('ResourceQuota')
    const quota = () => cluster.client.get(resourceQuotas, 'default', 'policy')!
    cluster.client.updateStatus(resourceQuotas, { ...quota(), status: { used: { pods: '0' } } })
    cluster.clock.advance(2000)
    expect(runningPods(cluster)).toEqual([])
    cluster.client.update(resourceQuotas, { ...quota(), spec: { hard: { pods: '4' } } })
    cluster.clock.advance(2000)
    expect(runningPods(cluster)).toHaveLength(1)
  })
})
