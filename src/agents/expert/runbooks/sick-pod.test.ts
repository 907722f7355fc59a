/** Pods that are sick by themselves. */
import { describe, expect, it } from 'vitest'
import type { Hypothesis } from '../runbook.ts'
import { NAMESPACE } from '../testing/fake-cluster.ts'
import {
  CALM,
  deployment,
  edge,
  failing,
  line,
  other,
  pendingPod,
  pod,
  shop,
  slow,
  template,
  usage,
  waitingPod,
} from '../testing/fake-objects.ts'
import { look, only, tasksOf } from '../testing/look.ts'

describe('sick pods', () => {
  const deletion = (found: Hypothesis): any => tasksOf(found)[0]['kubernetes.core.k8s']

  it.each([
    ['cpu-stress', 'operating-system', 'capacity-shortage', 1],
    ['memory-stress', 'operating-system', 'capacity-shortage', 1],
    ['disk-io', 'hardware', 'network-storage-issue', 1],
    ['network-loss', 'network', 'network-storage-issue', undefined],
    ['network-delay', 'network', 'network-storage-issue', undefined],
    ['pod-fail', 'virtualisation', 'operation-error', 1],
  ] as const)('replaces the pod that a report of %s is about', async (category, layer, type, grace) => {
    const found = await only('sick-pod', { objects: shop() }, { service: 'cart', category })
    expect(found).toMatchObject({ services: ['cart'], layer, type, fix: { replaces: ['Pod-cart-abc'] } })
    expect(deletion(found)).toMatchObject({
      state: 'absent',
      kind: 'Pod',
      name: 'cart-abc',
      namespace: NAMESPACE,
    })
    expect(deletion(found).delete_options?.gracePeriodSeconds).toBe(grace)
  })

  it('replaces the one of several that is starved, or else the one that leads', async () => {
    const two = [pod('cart', { name: 'cart-1' }), pod('cart', { name: 'cart-2', labels: { role: 'leader' } })]
    const hot = usage('cart', { pod: 'cart-1', cpuCores: 0.2, throttledShare: 1 })
    const focus = { service: 'cart', category: 'cpu-stress' } as const
    expect(deletion(await only('sick-pod', { objects: shop(...two), usage: [hot] }, focus)).name).toBe(
      'cart-1',
    )
    expect(deletion(await only('sick-pod', { objects: shop(...two) }, focus)).name).toBe('cart-2')
  })

  it.each([
    ['a pod that does nothing', { objects: shop(pod('cart', { ready: false })) }, 'cart', 'operation-error'],
    [
      'much memory',
      { objects: shop(), usage: [usage('cart', { memoryBytes: 2 ** 28 })] },
      'cart',
      'capacity-shortage',
    ],
    [
      'a slow callee',
      { objects: shop(), edges: [slow('frontend', 'cart', 900), slow('cart', 'store', 880)] },
      'store',
      'network-storage-issue',
    ],
    [
      'a slow link on both sides',
      { objects: shop(), edges: [slow('frontend', 'cart', 2000), slow('cart', 'store', 900)] },
      'cart',
      'network-storage-issue',
    ],
  ])('finds %s by itself', async (_what, parts, culprit, type) => {
    const [first] = await look(parts, {}, 'sick-pod')
    expect(first).toMatchObject({ services: [culprit], type })
  })

  it('does not take a busy pod for a sick one as long as nobody suffers', async () => {
    const busy = usage('cart', { cpuCores: 0.2, throttledShare: 0.9 })
    const parts = { objects: shop(), usage: [busy] }
    expect(await look(parts, {}, 'sick-pod')).toEqual([])
    const [first] = await look({ ...parts, edges: [slow('frontend', 'cart', 300)] }, {}, 'sick-pod')
    expect(first).toMatchObject({ services: ['cart'], layer: 'operating-system' })
  })

  it('blames the caller whom alone a service does not answer', async () => {
    const before = [...CALM, edge('frontend', 'store')]
    const edges = [edge('frontend', 'cart'), edge('frontend', 'store'), failing('cart', 'store')]
    const [first] = await look({ objects: shop(), edges, before }, {}, 'sick-pod')
    expect(first).toMatchObject({ services: ['cart'], layer: 'network' })
  })

  it('takes refusals for age as a sign of a wrong clock', async () => {
    const edges = [edge('frontend', 'cart'), failing('cart', 'store')]
    const logs = [line('store', 'Your card expired on 01/2039')]
    const [first] = await look({ objects: shop(), edges, logs }, {}, 'sick-pod')
    expect(first).toMatchObject({ services: ['store'], layer: 'operating-system', type: 'misconfiguration' })
  })

  it('replaces a pod that fails again and again, or that somebody has put another image into', async () => {
    const failed = {
      name: 'server',
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    }
    const crashing = pod('cart', { ready: false, status: { phase: 'Running', containerStatuses: [failed] } })
    const focus = { service: 'cart', category: 'pod-fail' } as const
    expect(deletion(await only('sick-pod', { objects: shop(crashing) }, focus)).name).toBe('cart-abc')
    const paused = pod('cart', { ready: false, containers: [{ name: 'server', image: 'pause:3' }] })
    const found = await only('sick-pod', { objects: shop(paused) })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', score: 0.9 })
    expect(found.evidence.join()).toContain('runs pause:3')
  })

  it('leaves pods alone that have no place or cannot be started', async () => {
    for (const stuck of [pendingPod('cart', 'no node'), waitingPod('cart', 'CreateContainerConfigError')]) {
      const parts = { objects: shop(stuck), edges: [failing('frontend', 'cart'), edge('cart', 'store')] }
      // Who calls it in vain is named as well, and never so surely that anything would be done to it.
      expect((await look(parts, {}, 'sick-pod')).filter(({ score }) => score >= 0.5)).toEqual([])
      expect(await look(parts, { service: 'cart', category: 'pod-fail' }, 'sick-pod')).toEqual([])
    }
  })

  it('leaves pods of a changed template to the rollout', async () => {
    const now = template('cart', { image: 'cart:2.0.0' })
    const objects = shop(...deployment('cart', { now, previous: template('cart') }))
    expect(await look({ objects }, { service: 'cart', category: 'pod-fail' }, 'sick-pod')).toEqual([])
  })

  /** Two nodes; the store cannot leave the first. */
  const spread = () => [
    ...shop().filter(({ kind }) => kind !== 'Pod'),
    ...[pod('cart', { node: 'node-1' }), pod('frontend', { node: 'node-2' })],
    pod('store', { node: 'node-1', volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] }),
  ]
  const moved = (found: Hypothesis) => {
    const [cordon, leave] = tasksOf(found)
    return [
      cordon['kubernetes.core.k8s'].definition,
      leave['kubernetes.core.k8s'].definition.map((one: any) => one.metadata.name),
    ]
  }
  const CORDONED = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1' },
    spec: { unschedulable: true },
  }

  it('takes a wrong clock for the node’s: whoever can leaves it, and nobody comes again', async () => {
    const focus = { service: 'cart', category: 'pod-config-error' } as const
    const found = await only('sick-pod', { objects: spread() }, focus)
    expect(moved(found)).toEqual([CORDONED, ['cart-abc']])
    expect(found).toMatchObject({ services: ['cart'], mayPass: false, fix: { replaces: ['Pod-cart-abc'] } })
  })

  it('leaves a node from which one service is not reached any more, by nobody there', async () => {
    const focus = { service: 'cart', category: 'network-loss' } as const
    const before = [...CALM, edge('frontend', 'store')]
    const edges = [edge('frontend', 'cart'), edge('frontend', 'store'), failing('cart', 'store')]
    const cut = await only('sick-pod', { objects: spread(), edges, before }, focus)
    expect(moved(cut)).toEqual([CORDONED, ['cart-abc']])
    // Where nobody else gets through either, it may be the pod.
    const lost = { objects: spread(), edges: [edge('frontend', 'cart'), failing('cart', 'store')] }
    expect(deletion(await only('sick-pod', lost, focus)).name).toBe('cart-abc')
  })

  it('takes the note away that holds a volume, and touches no pod', async () => {
    const claim = (annotations: object) =>
      other('v1', 'PersistentVolumeClaim', 'data', { metadata: { annotations } })
    const objects = [...spread(), claim({ 'csi.storage/write-iops': '1', mine: '1' })]
    const focus = { service: 'store', category: 'disk-io' } as const
    for (const found of [
      await only('held-claim', { objects }, focus),
      await only('held-claim', { objects }),
    ]) {
      expect(found).toMatchObject({ services: ['store'], layer: 'virtualisation' })
      expect(tasksOf(found)).toEqual([
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
    expect(await look({ objects }, { service: 'cart', category: 'disk-io' }, 'held-claim')).toEqual([])
    const free = [...spread(), claim({ 'csi.storage/write-iops': '5000' })]
    expect(await look({ objects: free }, focus, 'held-claim')).toEqual([])
  })
})
