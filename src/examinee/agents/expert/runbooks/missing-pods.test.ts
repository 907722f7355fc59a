/** Tests of the runbooks for missing pods: scaled to zero, rejected, or not scheduled. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { deployment, event, pendingPod, podTemplate, shopObjects, toObject } from '../testing/fake-objects.ts'
import { findOnlyHypothesis, tasksOf } from '../testing/find-hypotheses.ts'

const node = (name: string, spec: object = {}): ApiObject =>
  toObject('v1', 'Node', name, { spec, status: { allocatable: { cpu: '2' } } })

describe('the Expert, faced with missing pods,', () => {
  it('restores the replicas of a workload that was scaled to zero', async () => {
    const hypothesis = await findOnlyHypothesis('scaled-to-zero', {
      objects: shopObjects(...deployment('cart', { replicas: 0 })),
      events: [event('ScalingReplicaSet', 'Deployment/cart', 'Scaled down replica set cart-1 from 2 to 0')],
    })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'operation-error' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s_scale']).toMatchObject({ name: 'cart', replicas: 2 })
  })

  const shopWithoutPodOf = (name: string): ApiObject[] =>
    shopObjects(...deployment(name, { ready: 0 })).filter(
      ({ kind, metadata }) => kind !== 'Pod' || metadata.name !== `${name}-abc`,
    )

  it('raises an exhausted quota', async () => {
    const quota = toObject('v1', 'ResourceQuota', 'compute', { spec: { hard: { pods: '2' } } })
    const refusal = 'pods "cart-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=2'
    const hypothesis = await findOnlyHypothesis('refused-pods', {
      objects: [...shopWithoutPodOf('cart'), quota],
      events: [event('FailedCreate', 'ReplicaSet/cart-1', refusal)],
    })
    expect(hypothesis).toMatchObject({ services: ['cart'], type: 'misconfiguration' })
    const [repair, restart] = tasksOf(hypothesis)
    expect(repair['kubernetes.core.k8s']).toMatchObject({
      kind: 'ResourceQuota',
      name: 'compute',
      definition: { spec: { hard: { pods: '12' } } },
    })
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('raises the maximum of a limit range to the largest limit', async () => {
    const limits = [{ type: 'Container', max: { cpu: '100m' } }]
    const hypothesis = await findOnlyHypothesis('refused-pods', {
      objects: [...shopWithoutPodOf('cart'), toObject('v1', 'LimitRange', 'bounds', { spec: { limits } })],
      events: [
        event(
          'FailedCreate',
          'ReplicaSet/cart-1',
          'pods "c" is forbidden: maximum cpu usage per Container is 100m',
        ),
      ],
    })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition).toEqual({
      spec: { limits: [{ type: 'Container', max: { cpu: '200m' } }] },
    })
  })

  it('uncordons nodes', async () => {
    const hypothesis = await findOnlyHypothesis('unschedulable', {
      objects: shopObjects(
        pendingPod('cart', '0/2 nodes are available: 2 node(s) were unschedulable.'),
        ...[node('node-1', { unschedulable: true }), node('node-2', { unschedulable: true })],
      ),
    })
    expect(hypothesis).toMatchObject({ services: ['cart'], type: 'operation-error' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition).toMatchObject([
      { kind: 'Node', metadata: { name: 'node-1' }, spec: { unschedulable: false } },
      { metadata: { name: 'node-2' } },
    ])
  })

  it('scales batch workloads to zero if they reserve the nodes', async () => {
    const greedyTemplate = podTemplate('report', { resources: { requests: { cpu: '1800m' } } })
    const hypothesis = await findOnlyHypothesis('unschedulable', {
      objects: shopObjects(
        pendingPod('cart', '0/1 nodes are available: 1 Insufficient cpu.'),
        ...[node('node-1'), ...deployment('report', { now: greedyTemplate })],
      ),
    })
    expect(hypothesis).toMatchObject({ services: ['cart', 'report'], type: 'capacity-shortage' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition).toMatchObject([
      { kind: 'Deployment', metadata: { name: 'report' }, spec: { replicas: 0 } },
    ])
  })
})
