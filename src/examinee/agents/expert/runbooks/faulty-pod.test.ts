/** Tests of the runbooks for faulty pods and their volumes. */
import { describe, expect, it } from 'vitest'
import type { Hypothesis } from '../runbook.ts'
import { NAMESPACE } from '../testing/fake-cluster.ts'
import {
  BASELINE,
  deployment,
  edge,
  failingEdge,
  logLine,
  pendingPod,
  pod,
  podTemplate,
  shopObjects,
  slowEdge,
  toObject,
  usage,
  waitingPod,
} from '../testing/fake-objects.ts'
import { findHypotheses, findOnlyHypothesis, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with a faulty pod,', () => {
  const deletionOf = (hypothesis: Hypothesis): any => tasksOf(hypothesis)[0]['kubernetes.core.k8s']

  it.each([
    ['cpu-stress', 'operating-system', 'capacity-shortage', 1],
    ['memory-stress', 'operating-system', 'capacity-shortage', 1],
    ['disk-io', 'hardware', 'network-storage-issue', 1],
    ['network-loss', 'network', 'network-storage-issue', undefined],
    ['network-delay', 'network', 'network-storage-issue', undefined],
    ['pod-fail', 'virtualisation', 'operation-error', 1],
  ] as const)(
    'replaces the pod of a service that the report names with the category %s',
    async (category, layer, type, grace) => {
      const hypothesis = await findOnlyHypothesis(
        'faulty-pod',
        { objects: shopObjects() },
        { service: 'cart', category },
      )
      expect(hypothesis).toMatchObject({
        services: ['cart'],
        layer,
        type,
        fix: { replaces: ['Pod-cart-abc'] },
      })
      expect(deletionOf(hypothesis)).toMatchObject({
        state: 'absent',
        kind: 'Pod',
        name: 'cart-abc',
        namespace: NAMESPACE,
      })
      expect(deletionOf(hypothesis).delete_options?.gracePeriodSeconds).toBe(grace)
    },
  )

  it('replaces the throttled pod of a service, or else its leader', async () => {
    const pods = [
      pod('cart', { name: 'cart-1' }),
      pod('cart', { name: 'cart-2', labels: { role: 'leader' } }),
    ]
    const throttled = usage('cart', { pod: 'cart-1', cpuCores: 0.2, throttledShare: 1 })
    const focus = { service: 'cart', category: 'cpu-stress' } as const
    expect(
      deletionOf(
        await findOnlyHypothesis('faulty-pod', { objects: shopObjects(...pods), usage: [throttled] }, focus),
      ).name,
    ).toBe('cart-1')
    expect(
      deletionOf(await findOnlyHypothesis('faulty-pod', { objects: shopObjects(...pods) }, focus)).name,
    ).toBe('cart-2')
  })

  it.each([
    [
      'a pod that does not serve',
      { objects: shopObjects(pod('cart', { ready: false })) },
      'cart',
      'operation-error',
    ],
    [
      'excessive memory',
      { objects: shopObjects(), usage: [usage('cart', { memoryBytes: 2 ** 28 })] },
      'cart',
      'capacity-shortage',
    ],
    [
      'a slow callee',
      { objects: shopObjects(), edges: [slowEdge('frontend', 'cart', 900), slowEdge('cart', 'store', 880)] },
      'store',
      'network-storage-issue',
    ],
    [
      'slow calls to and from a service',
      { objects: shopObjects(), edges: [slowEdge('frontend', 'cart', 2000), slowEdge('cart', 'store', 900)] },
      'cart',
      'network-storage-issue',
    ],
  ])('finds %s without a report', async (_description, parts, cause, type) => {
    const [first] = await findHypotheses(parts, {}, 'faulty-pod')
    expect(first).toMatchObject({ services: [cause], type })
  })

  it('does not replace a busy pod without symptoms', async () => {
    const busy = usage('cart', { cpuCores: 0.2, throttledShare: 0.9 })
    const parts = { objects: shopObjects(), usage: [busy] }
    expect(await findHypotheses(parts, {}, 'faulty-pod')).toEqual([])
    const [first] = await findHypotheses(
      { ...parts, edges: [slowEdge('frontend', 'cart', 300)] },
      {},
      'faulty-pod',
    )
    expect(first).toMatchObject({ services: ['cart'], layer: 'operating-system' })
  })

  it('blames the only caller that cannot reach a service', async () => {
    const before = [...BASELINE, edge('frontend', 'store')]
    const edges = [edge('frontend', 'cart'), edge('frontend', 'store'), failingEdge('cart', 'store')]
    const [first] = await findHypotheses({ objects: shopObjects(), edges, before }, {}, 'faulty-pod')
    expect(first).toMatchObject({ services: ['cart'], layer: 'network' })
  })

  it('infers a wrong clock from expiry errors', async () => {
    const edges = [edge('frontend', 'cart'), failingEdge('cart', 'store')]
    const logs = [logLine('store', 'Your card expired on 01/2039')]
    const [first] = await findHypotheses({ objects: shopObjects(), edges, logs }, {}, 'faulty-pod')
    expect(first).toMatchObject({ services: ['store'], layer: 'operating-system', type: 'misconfiguration' })
  })

  it('replaces a pod that crashes, or whose image was changed', async () => {
    const failedStatus = {
      name: 'server',
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    }
    const crashing = pod('cart', {
      ready: false,
      status: { phase: 'Running', containerStatuses: [failedStatus] },
    })
    const focus = { service: 'cart', category: 'pod-fail' } as const
    expect(
      deletionOf(await findOnlyHypothesis('faulty-pod', { objects: shopObjects(crashing) }, focus)).name,
    ).toBe('cart-abc')
    const paused = pod('cart', { ready: false, containers: [{ name: 'server', image: 'pause:3' }] })
    const hypothesis = await findOnlyHypothesis('faulty-pod', { objects: shopObjects(paused) })
    expect(hypothesis).toMatchObject({ services: ['cart'], layer: 'virtualisation', score: 0.9 })
    expect(hypothesis.evidence.join()).toContain('runs pause:3')
  })

  it('keeps pods that are not scheduled or not started', async () => {
    for (const stuck of [pendingPod('cart', 'no node'), waitingPod('cart', 'CreateContainerConfigError')]) {
      const parts = {
        objects: shopObjects(stuck),
        edges: [failingEdge('frontend', 'cart'), edge('cart', 'store')],
      }
      // Its caller is suspected too, but with a score too low for a repair.
      expect((await findHypotheses(parts, {}, 'faulty-pod')).filter(({ score }) => score >= 0.5)).toEqual([])
      expect(await findHypotheses(parts, { service: 'cart', category: 'pod-fail' }, 'faulty-pod')).toEqual([])
    }
  })

  it('keeps pods with a changed template', async () => {
    const now = podTemplate('cart', { image: 'cart:2.0.0' })
    const objects = shopObjects(...deployment('cart', { now, previous: podTemplate('cart') }))
    expect(
      await findHypotheses({ objects }, { service: 'cart', category: 'pod-fail' }, 'faulty-pod'),
    ).toEqual([])
  })

  /** The shop on two nodes. The store cannot leave the first one. */
  const shopOnTwoNodes = () => [
    ...shopObjects().filter(({ kind }) => kind !== 'Pod'),
    ...[pod('cart', { node: 'node-1' }), pod('frontend', { node: 'node-2' })],
    pod('store', { node: 'node-1', volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] }),
  ]
  const repairOf = (hypothesis: Hypothesis) => {
    const [cordon, evict] = tasksOf(hypothesis)
    return [
      cordon['kubernetes.core.k8s'].definition,
      evict['kubernetes.core.k8s'].definition.map((item: any) => item.metadata.name),
    ]
  }
  const CORDONED = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1' },
    spec: { unschedulable: true },
  }

  it('moves pods off a node with a wrong clock', async () => {
    const focus = { service: 'cart', category: 'pod-config-error' } as const
    const hypothesis = await findOnlyHypothesis('faulty-pod', { objects: shopOnTwoNodes() }, focus)
    expect(repairOf(hypothesis)).toEqual([CORDONED, ['cart-abc']])
    expect(hypothesis).toMatchObject({
      services: ['cart'],
      mayBeTransient: false,
      fix: { replaces: ['Pod-cart-abc'] },
    })
  })

  it('moves pods off a node that cannot reach one service', async () => {
    const focus = { service: 'cart', category: 'network-loss' } as const
    const before = [...BASELINE, edge('frontend', 'store')]
    const edges = [edge('frontend', 'cart'), edge('frontend', 'store'), failingEdge('cart', 'store')]
    const hypothesis = await findOnlyHypothesis(
      'faulty-pod',
      { objects: shopOnTwoNodes(), edges, before },
      focus,
    )
    expect(repairOf(hypothesis)).toEqual([CORDONED, ['cart-abc']])
    // If no other caller reaches the service, its pod may be the cause.
    const unreachable = {
      objects: shopOnTwoNodes(),
      edges: [edge('frontend', 'cart'), failingEdge('cart', 'store')],
    }
    expect(deletionOf(await findOnlyHypothesis('faulty-pod', unreachable, focus)).name).toBe('cart-abc')
  })

  it('removes the annotation that throttles a volume, and changes no pod', async () => {
    const claim = (annotations: object) =>
      toObject('v1', 'PersistentVolumeClaim', 'data', { metadata: { annotations } })
    const objects = [...shopOnTwoNodes(), claim({ 'csi.storage/write-iops': '1', mine: '1' })]
    const focus = { service: 'store', category: 'disk-io' } as const
    for (const hypothesis of [
      await findOnlyHypothesis('throttled-claim', { objects }, focus),
      await findOnlyHypothesis('throttled-claim', { objects }),
    ]) {
      expect(hypothesis).toMatchObject({ services: ['store'], layer: 'virtualisation' })
      expect(tasksOf(hypothesis)).toEqual([
        {
          name: expect.any(String),
          'kubernetes.core.k8s': {
            state: 'patched',
            api_version: 'v1',
            kind: 'PersistentVolumeClaim',
            name: 'data',
            namespace: NAMESPACE,
            definition: { metadata: { annotations: { 'csi.storage/write-iops': null } } },
          },
        },
      ])
    }
    expect(
      await findHypotheses({ objects }, { service: 'cart', category: 'disk-io' }, 'throttled-claim'),
    ).toEqual([])
    const unlimited = [...shopOnTwoNodes(), claim({ 'csi.storage/write-iops': '5000' })]
    expect(await findHypotheses({ objects: unlimited }, focus, 'throttled-claim')).toEqual([])
  })
})
