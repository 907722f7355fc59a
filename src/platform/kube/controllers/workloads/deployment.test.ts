/** Tests of the Deployment and ReplicaSet controllers together, on a fake node. */
import type { Deployment, DeploymentSpec } from 'kubernetes-types/apps/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { deployments, pods, replicaSets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { deploymentController } from './deployment.ts'
import { replicaSetController } from './replica-set.ts'

const specOf = (replicas: number, image: string, options: Partial<DeploymentSpec> = {}): DeploymentSpec => ({
  replicas,
  selector: { matchLabels: { app: 'web' } },
  template: {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image }], restartPolicy: 'Always', terminationGracePeriodSeconds: 1 },
  },
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
  ...options,
})

const start = (spec: DeploymentSpec): TestCluster => {
  const cluster = createTestCluster([deploymentController, replicaSetController])
  cluster.client.create(deployments, { metadata: { name: 'web', namespace: 'default' }, spec })
  return cluster
}

const web = ({ client }: TestCluster): Stored<Deployment> => client.get(deployments, 'default', 'web')!

const updateSpec = (cluster: TestCluster, spec: Partial<DeploymentSpec>): void => {
  const deployment = web(cluster)
  cluster.client.update(deployments, { ...deployment, spec: { ...deployment.spec, ...spec } })
}

const changeImage = (cluster: TestCluster, image: string): void =>
  updateSpec(cluster, { template: specOf(0, image).template })

const imageOf = (object: { spec: { template?: { spec?: { containers: { image?: string }[] } } } }): string =>
  object.spec.template!.spec!.containers[0]!.image!

const setOf = (cluster: TestCluster, image: string) =>
  cluster.client.list(replicaSets).find((set) => imageOf(set) === image)!

const conditions = (cluster: TestCluster): string[] =>
  (web(cluster).status.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`)

describe('a new Deployment', () => {
  it('creates a ReplicaSet named by hash and its pods, and sets the conditions of a real cluster', () => {
    const cluster = start(specOf(2, 'a'))
    cluster.clock.advance(5000)
    const set = setOf(cluster, 'a')
    expect(set.metadata.name).toMatch(/^web-[bcdf4-9]{8,10}$/)
    expect(set.metadata.annotations).toEqual({
      'deployment.kubernetes.io/desired-replicas': '2',
      'deployment.kubernetes.io/max-replicas': '3',
      'deployment.kubernetes.io/revision': '1',
    })
    expect(web(cluster).metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' })
    const hash = set.metadata.labels!['pod-template-hash']
    for (const pod of cluster.client.list(pods)) {
      expect(pod.metadata.name).toMatch(new RegExp(`^web-${hash}-[b-df-hj-np-tv-xz2456789]{5}$`))
      expect(pod.metadata.labels).toEqual({ app: 'web', 'pod-template-hash': hash })
    }
    expect(web(cluster).status).toMatchObject({
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "${set.metadata.name}" has successfully progressed.`,
        },
      ],
    })
    expect(web(cluster).status).not.toHaveProperty('unavailableReplicas')
    expect(cluster.eventsOf('web')).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${set.metadata.name} from 0 to 2`,
    ])
    expect(cluster.errors).toEqual([])
  })

  it('creates the same names and versions for the same seed', () => {
    const listIdentities = (): string[] => {
      const cluster = start(specOf(3, 'a'))
      cluster.clock.advance(3000)
      return [...cluster.client.list(pods), web(cluster)].map(
        ({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`,
      )
    }
    expect(listIdentities()).toEqual(listIdentities())
  })
})

describe('a rolling update', () => {
  it('scales step by step within maxSurge and maxUnavailable, with the events of a real cluster', () => {
    const cluster = start(specOf(2, 'a'))
    cluster.clock.advance(5000)
    changeImage(cluster, 'b')
    cluster.clock.advance(10_000)
    const [old, fresh] = [setOf(cluster, 'a').metadata.name, setOf(cluster, 'b').metadata.name]
    expect(cluster.eventsOf('web').slice(1)).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${fresh} from 0 to 1`,
      `ScalingReplicaSet: Scaled down replica set ${old} from 2 to 1`,
      `ScalingReplicaSet: Scaled up replica set ${fresh} from 1 to 2`,
      `ScalingReplicaSet: Scaled down replica set ${old} from 1 to 0`,
    ])
    expect(web(cluster).metadata.annotations!['deployment.kubernetes.io/revision']).toBe('2')
    expect(cluster.client.list(pods)).toHaveLength(2)
  })

  it('never exceeds maxSurge or maxUnavailable', () => {
    const spec = specOf(10, 'a', {
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    })
    const cluster = start(spec)
    cluster.clock.advance(5000)
    changeImage(cluster, 'b')
    for (let step = 0; step < 200; step += 1) {
      cluster.clock.advance(100)
      const running = cluster.client.list(pods).filter((pod) => pod.metadata.deletionTimestamp === undefined)
      expect(running.length).toBeLessThanOrEqual(13)
      expect(web(cluster).status.availableReplicas).toBeGreaterThanOrEqual(8)
    }
    expect(setOf(cluster, 'b').spec.replicas).toBe(10)
    expect(setOf(cluster, 'a').spec.replicas).toBe(0)
  })

  it('times out on a bad image, and an undo scales the old ReplicaSet up with a new revision', () => {
    const cluster = start(specOf(2, 'a', { progressDeadlineSeconds: 10 }))
    cluster.clock.advance(5000)
    cluster.podOutcome = (pod) => (pod.spec.containers[0]!.image === 'bad' ? 'pending' : 'ready')
    const goodTemplate = web(cluster).spec.template
    changeImage(cluster, 'bad')
    cluster.clock.advance(5000)
    expect(conditions(cluster)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing True ReplicaSetUpdated',
    ])
    cluster.clock.advance(10_000)
    expect(conditions(cluster)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing False ProgressDeadlineExceeded',
    ])
    expect(web(cluster).status.conditions![1]!.message).toBe(
      `ReplicaSet "${setOf(cluster, 'bad').metadata.name}" has timed out progressing.`,
    )
    expect(setOf(cluster, 'a').spec.replicas).toBe(2)
    updateSpec(cluster, { template: goodTemplate })
    cluster.clock.advance(10_000)
    expect(setOf(cluster, 'a').metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    })
    expect(setOf(cluster, 'bad').spec.replicas).toBe(0)
    expect(conditions(cluster)).toContain('Progressing True NewReplicaSetAvailable')
  })

  it('scales the ReplicaSets of a stuck rollout proportionally', () => {
    const spec = specOf(10, 'a', {
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    })
    const cluster = start(spec)
    cluster.clock.advance(5000)
    cluster.podOutcome = () => 'pending'
    changeImage(cluster, 'bad')
    cluster.clock.advance(5000)
    expect([setOf(cluster, 'a').spec.replicas, setOf(cluster, 'bad').spec.replicas]).toEqual([8, 5])
    updateSpec(cluster, { replicas: 15 })
    cluster.clock.advance(1000)
    expect([setOf(cluster, 'a').spec.replicas, setOf(cluster, 'bad').spec.replicas]).toEqual([11, 7])
  })

  it('keeps no more old ReplicaSets than the history limit', () => {
    const cluster = start(specOf(1, 'a', { revisionHistoryLimit: 1 }))
    for (const image of ['b', 'c', 'd']) {
      cluster.clock.advance(10_000)
      changeImage(cluster, image)
    }
    cluster.clock.advance(10_000)
    expect(cluster.client.list(replicaSets).map(imageOf).sort()).toEqual(['c', 'd'])
  })
})

describe('a Deployment', () => {
  it('creates no new pod before the last old one is deleted, under Recreate', () => {
    const cluster = start(specOf(2, 'a', { strategy: { type: 'Recreate' } }))
    cluster.clock.advance(5000)
    changeImage(cluster, 'b')
    cluster.clock.advance(400)
    expect(cluster.client.list(replicaSets)).toHaveLength(1)
    expect(cluster.client.list(pods).every((pod) => pod.metadata.deletionTimestamp !== undefined)).toBe(true)
    cluster.clock.advance(5000)
    expect(cluster.client.list(pods).map((pod) => pod.spec.containers[0]!.image)).toEqual(['b', 'b'])
  })

  it('pauses and resumes, and scales while paused', () => {
    const cluster = start(specOf(2, 'a'))
    cluster.clock.advance(5000)
    updateSpec(cluster, { paused: true })
    cluster.clock.advance(1000)
    expect(conditions(cluster)).toContain('Progressing Unknown DeploymentPaused')
    changeImage(cluster, 'b')
    updateSpec(cluster, { replicas: 3 })
    cluster.clock.advance(5000)
    expect(cluster.client.list(replicaSets).map(imageOf)).toEqual(['a'])
    expect(setOf(cluster, 'a').spec.replicas).toBe(3)
    updateSpec(cluster, { paused: false })
    cluster.clock.advance(10_000)
    expect(setOf(cluster, 'b').status.availableReplicas).toBe(3)
    expect(conditions(cluster)).toContain('Progressing True NewReplicaSetAvailable')
  })

  it('waits for minReadySeconds before a pod counts as available', () => {
    const cluster = start(specOf(1, 'a', { minReadySeconds: 10 }))
    cluster.clock.advance(9000)
    expect(web(cluster).status).toMatchObject({ readyReplicas: 1, unavailableReplicas: 1 })
    cluster.clock.advance(3000)
    expect(web(cluster).status.availableReplicas).toBe(1)
  })

  it('uses another hash if a ReplicaSet of another owner has the name', () => {
    const cluster = start(specOf(1, 'a'))
    cluster.clock.advance(3000)
    const first = setOf(cluster, 'a')
    cluster.client.delete(replicaSets, 'default', first.metadata.name)
    cluster.client.create(replicaSets, {
      metadata: { name: first.metadata.name, namespace: 'default', labels: { other: 'x' } },
      spec: { ...first.spec, replicas: 0 },
    })
    cluster.clock.advance(3000)
    expect(web(cluster).status.collisionCount).toBe(1)
    expect(cluster.client.list(replicaSets)).toHaveLength(2)
  })
})
