/** Tests of the autoscaler: replica counts, scaling limits, conditions and events. */
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { describe, expect, it } from 'vitest'
import { deployments, horizontalPodAutoscalers, pods } from '#platform/kube/kinds'
import { type Stored, toTime } from '#platform/kube/meta'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { deploymentController } from '../workloads/deployment.ts'
import { replicaSetController } from '../workloads/replica-set.ts'
import { createHorizontalPodAutoscaler, type PodUsage } from './horizontal-pod-autoscaler.ts'

const labels = { app: 'web' }

interface AutoscaledCluster extends TestCluster {
  /** CPU usage of each pod, in millicores. */
  load: number
  /** Names of pods without metrics. */
  unmeasured: Set<string>
}

const start = (
  spec: Partial<HorizontalPodAutoscalerSpec> = {},
  replicas = 2,
  requests: Record<string, string> = { cpu: '100m' },
): AutoscaledCluster => {
  const measure = (): PodUsage[] =>
    cluster.client
      .list(pods)
      .filter(({ status, metadata }) => status.phase === 'Running' && !cluster.unmeasured.has(metadata.name))
      .map(({ metadata }) => ({
        pod: metadata.name,
        containers: [{ name: 'c', cpu: cluster.load / 1000, memory: 52_428_800 }],
      }))
  const controllers = [deploymentController, replicaSetController, createHorizontalPodAutoscaler(measure)]
  const cluster: AutoscaledCluster = Object.assign(createTestCluster(controllers), {
    load: 50,
    unmeasured: new Set<string>(),
  })
  const { client, clock } = cluster
  client.watch(pods, ({ type, object }) => {
    if (type === 'ADDED')
      clock.defer(() => cluster.reportStatus(object, { startTime: toTime(clock.now()), phase: 'Pending' }))
  })
  client.create(deployments, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }] },
      },
    },
  })
  clock.advance(400_000)
  client.create(horizontalPodAutoscalers, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
      ...spec,
    },
  })
  return cluster
}

const autoscaler = ({ client }: TestCluster): Stored<HorizontalPodAutoscaler> =>
  client.get(horizontalPodAutoscalers, 'default', 'web')!
const replicas = ({ client }: TestCluster): number =>
  client.get(deployments, 'default', 'web')!.spec.replicas!
const conditions = (cluster: TestCluster): string[] =>
  (autoscaler(cluster).status.conditions ?? []).map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  )

describe('the number of replicas', () => {
  it('does not change while usage is near the target; the first evaluation runs after 5 seconds', () => {
    const cluster = start()
    cluster.clock.advance(4000)
    expect(autoscaler(cluster).status.conditions).toBeUndefined()
    cluster.load = 54
    cluster.clock.advance(2000)
    expect(autoscaler(cluster).status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 2,
      currentMetrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', current: { averageUtilization: 54, averageValue: '54m' } },
        },
      ],
    })
    expect(conditions(cluster)).toEqual([
      'AbleToScale=True ReadyForNewScale',
      'ScalingActive=True ValidMetricFound',
      'ScalingLimited=False DesiredWithinRange',
    ])
  })

  it('grows with the load and records an event', () => {
    const cluster = start()
    cluster.load = 75
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(3)
    expect(cluster.eventsOf('web')).toContain(
      'SuccessfulRescale: New size: 3; reason: cpu resource utilization (percentage of request) above target',
    )
    expect(autoscaler(cluster).status).toMatchObject({
      desiredReplicas: 3,
      lastScaleTime: '2026-01-01T00:06:45Z',
    })
  })

  it('at most doubles in one step, and never exceeds the maximum', () => {
    const cluster = start()
    cluster.load = 500
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(4)
    expect(conditions(cluster)).toContain('ScalingLimited=True ScaleUpLimit')
    cluster.clock.advance(600_000)
    expect(replicas(cluster)).toBe(10)
    expect(conditions(cluster)).toContain('ScalingLimited=True TooManyReplicas')
  })

  it('shrinks five minutes after the load drops, but not below the minimum', () => {
    const cluster = start({ minReplicas: 2 }, 6)
    cluster.load = 5
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(6)
    expect(conditions(cluster)).toContain('AbleToScale=True ScaleDownStabilized')
    cluster.clock.advance(300_000)
    expect(replicas(cluster)).toBe(2)
    expect(cluster.eventsOf('web')).toContain(
      'SuccessfulRescale: New size: 2; reason: All metrics below target',
    )
    cluster.clock.advance(30_000)
    expect(conditions(cluster)).toContain('ScalingLimited=True TooFewReplicas')
  })

  it('is brought within its bounds at any load', () => {
    const cluster = start({ maxReplicas: 3 }, 5)
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(3)
    expect(cluster.eventsOf('web')).toContain(
      'SuccessfulRescale: New size: 3; reason: Current number of replicas above Spec.MaxReplicas',
    )
  })

  it('does not change if the user set it to zero', () => {
    const cluster = start({}, 0)
    cluster.clock.advance(60_000)
    expect(replicas(cluster)).toBe(0)
    expect(conditions(cluster)).toContain('ScalingActive=False ScalingDisabled')
  })

  it('follows an average-value target', () => {
    const target = { type: 'AverageValue', averageValue: '20Mi' }
    const cluster = start({ metrics: [{ type: 'Resource', resource: { name: 'memory', target } }] })
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(4)
    expect(autoscaler(cluster).status.currentMetrics).toEqual([
      { type: 'Resource', resource: { name: 'memory', current: { averageValue: '52428800' } } },
    ])
  })

  it('follows the usage of one container', () => {
    const target = { type: 'Utilization', averageUtilization: 50 }
    const cluster = start({
      metrics: [{ type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target } }],
    })
    cluster.load = 100
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(4)
  })
})

describe('pods without metrics', () => {
  it('dampen scaling up', () => {
    const cluster = start({}, 4)
    for (const { metadata } of cluster.client.list(pods).slice(0, 2)) cluster.unmeasured.add(metadata.name)
    cluster.load = 90
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(4)
  })

  it('dampen scaling down', () => {
    const cluster = start({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }, 4)
    for (const { metadata } of cluster.client.list(pods).slice(0, 2)) cluster.unmeasured.add(metadata.name)
    cluster.load = 20
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(4)
  })
})

describe('behaviour', () => {
  it('limits the rate of scaling up', () => {
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }]
    const cluster = start({ behavior: { scaleUp: { policies } } })
    cluster.load = 400
    cluster.clock.advance(6000)
    expect(replicas(cluster)).toBe(3)
    expect(conditions(cluster)).toContain('ScalingLimited=True ScaleUpLimit')
    cluster.clock.advance(40_000)
    expect(replicas(cluster)).toBe(3)
    cluster.clock.advance(30_000)
    expect(replicas(cluster)).toBe(4)
  })

  it('can disable scaling down, or remove its stabilization window', () => {
    const fixed = start({ behavior: { scaleDown: { selectPolicy: 'Disabled' } } }, 4)
    fixed.load = 1
    fixed.clock.advance(600_000)
    expect(replicas(fixed)).toBe(4)
    expect(conditions(fixed)).toContain('ScalingLimited=True ScaleDownLimit')
    const unstabilized = start({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }, 4)
    unstabilized.load = 1
    unstabilized.clock.advance(6000)
    expect(replicas(unstabilized)).toBe(1)
  })
})

describe('failures', () => {
  it('of metrics cause the same conditions and events as in a real cluster', () => {
    const cluster = createTestCluster([
      deploymentController,
      replicaSetController,
      createHorizontalPodAutoscaler(),
    ])
    cluster.client.create(deployments, {
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })
    cluster.client.create(horizontalPodAutoscalers, {
      metadata: { name: 'web', namespace: 'default' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
    })
    cluster.clock.advance(6000)
    const message =
      'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)'
    expect(autoscaler(cluster).status).toEqual({
      currentReplicas: 2,
      desiredReplicas: 0,
      currentMetrics: [{ type: '' }],
      conditions: [
        {
          type: 'AbleToScale',
          status: 'True',
          lastTransitionTime: '2026-01-01T00:00:05Z',
          reason: 'SucceededGetScale',
          message: "the HPA controller was able to get the target's current scale",
        },
        {
          type: 'ScalingActive',
          status: 'False',
          lastTransitionTime: '2026-01-01T00:00:05Z',
          reason: 'FailedGetResourceMetric',
          message: `the HPA was unable to compute the replica count: ${message}`,
        },
      ],
    })
    expect(cluster.eventsOf('web').filter((text) => text.startsWith('Failed'))).toEqual([
      `FailedGetResourceMetric: ${message}`,
      `FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${message}`,
    ])
  })

  it('report containers without requests and missing targets', () => {
    const noRequests = start({}, 2, { memory: '1Mi' })
    noRequests.clock.advance(6000)
    expect(noRequests.eventsOf('web').find((text) => text.startsWith('FailedGetResourceMetric'))).toMatch(
      /^FailedGetResourceMetric: failed to get cpu utilization: missing request for cpu in container c of Pod web-/,
    )
    const noTarget = start({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone' } })
    noTarget.clock.advance(6000)
    expect(autoscaler(noTarget).status.conditions).toMatchObject([
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message:
          'the HPA controller was unable to get the target\'s current scale: deployments/scale.apps "gone" not found',
      },
    ])
  })
})
