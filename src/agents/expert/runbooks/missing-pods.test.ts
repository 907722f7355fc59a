/** Pods that do not come: scaled away, refused, or without a node. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../spec/index.ts'
import { deployment, event, other, pendingPod, shop, template } from '../testing/fake-objects.ts'
import { only, tasksOf } from '../testing/look.ts'

const node = (name: string, spec: object = {}): ApiObject =>
  other('v1', 'Node', name, { spec, status: { allocatable: { cpu: '2' } } })

describe('pods that do not come', () => {
  it('scales back what was scaled to nothing', async () => {
    const found = await only('scaled-to-zero', {
      objects: shop(...deployment('cart', { replicas: 0 })),
      events: [event('ScalingReplicaSet', 'Deployment/cart', 'Scaled down replica set cart-1 from 2 to 0')],
    })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s_scale']).toMatchObject({ name: 'cart', replicas: 2 })
  })

  const without = (name: string): ApiObject[] =>
    shop(...deployment(name, { ready: 0 })).filter(
      ({ kind, metadata }) => kind !== 'Pod' || metadata.name !== `${name}-abc`,
    )

  it('raises a quota that is spent', async () => {
    const quota = other('v1', 'ResourceQuota', 'compute', { spec: { hard: { pods: '2' } } })
    const refusal = 'pods "cart-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=2'
    const found = await only('refused-pods', {
      objects: [...without('cart'), quota],
      events: [event('FailedCreate', 'ReplicaSet/cart-1', refusal)],
    })
    expect(found).toMatchObject({ services: ['cart'], type: 'misconfiguration' })
    const [mend, restart] = tasksOf(found)
    expect(mend['kubernetes.core.k8s']).toMatchObject({
      kind: 'ResourceQuota',
      name: 'compute',
      definition: { spec: { hard: { pods: '12' } } },
    })
    expect(restart['kubernetes.core.k8s']).toMatchObject({ kind: 'Deployment', name: 'cart' })
  })

  it('raises a limit range to what the largest container has', async () => {
    const limits = [{ type: 'Container', max: { cpu: '100m' } }]
    const found = await only('refused-pods', {
      objects: [...without('cart'), other('v1', 'LimitRange', 'bounds', { spec: { limits } })],
      events: [
        event(
          'FailedCreate',
          'ReplicaSet/cart-1',
          'pods "c" is forbidden: maximum cpu usage per Container is 100m',
        ),
      ],
    })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toEqual({
      spec: { limits: [{ type: 'Container', max: { cpu: '200m' } }] },
    })
  })

  it('uncordons nodes', async () => {
    const found = await only('unschedulable', {
      objects: shop(
        pendingPod('cart', '0/2 nodes are available: 2 node(s) were unschedulable.'),
        ...[node('node-1', { unschedulable: true }), node('node-2', { unschedulable: true })],
      ),
    })
    expect(found).toMatchObject({ services: ['cart'], type: 'operation-error' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toMatchObject([
      { kind: 'Node', metadata: { name: 'node-1' }, spec: { unschedulable: false } },
      { metadata: { name: 'node-2' } },
    ])
  })

  it('parks batch work that has reserved the nodes, and no service', async () => {
    const greedy = template('report', { resources: { requests: { cpu: '1800m' } } })
    const found = await only('unschedulable', {
      objects: shop(
        pendingPod('cart', '0/1 nodes are available: 1 Insufficient cpu.'),
        ...[node('node-1'), ...deployment('report', { now: greedy })],
      ),
    })
    expect(found).toMatchObject({ services: ['cart', 'report'], type: 'capacity-shortage' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition).toMatchObject([
      { kind: 'Deployment', metadata: { name: 'report' }, spec: { replicas: 0 } },
    ])
  })
})
