/** Tests of the runbooks for insufficient CPU: autoscalers, increased load and nodes. */
import { describe, expect, it } from 'vitest'
import {
  BASELINE,
  deployment,
  edge,
  pod,
  shopObjects,
  slowEdge,
  toObject,
  usage,
} from '../testing/fake-objects.ts'
import { findHypotheses, findOnlyHypothesis, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with insufficient CPU,', () => {
  const throttledUsage = (name: string): ReturnType<typeof usage> =>
    usage(name, { cpuCores: 0.2, throttledShare: 0.95 })

  it('raises the minimum and the maximum of an autoscaler', async () => {
    const autoscaler = toObject('autoscaling/v2', 'HorizontalPodAutoscaler', 'cart', {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, minReplicas: 1, maxReplicas: 1 },
      status: { currentReplicas: 1 },
    })
    const hypothesis = await findOnlyHypothesis('autoscaler', {
      objects: shopObjects(autoscaler),
      usage: [throttledUsage('cart')],
    })
    expect(hypothesis).toMatchObject({
      services: ['cart'],
      layer: 'virtualisation',
      type: 'misconfiguration',
    })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.spec).toEqual({
      minReplicas: 4,
      maxReplicas: 8,
    })
  })

  const surgeEdges = BASELINE.map((edge) => ({ ...edge, rate: 25 }))
  const overloadedShop = {
    objects: shopObjects(),
    edges: surgeEdges,
    usage: [throttledUsage('frontend'), usage('cart')],
  }

  it('doubles the CPU limit of a throttled service under increased load', async () => {
    const hypothesis = await findOnlyHypothesis('traffic-surge', {
      ...overloadedShop,
      answers: { 'frontend-abc': 'node\nnode\nsh\ncat\n' },
    })
    expect(hypothesis).toMatchObject({ services: ['frontend'], layer: 'hardware', type: 'capacity-shortage' })
    const [definition] = tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition
    expect(definition.spec.template.spec.containers).toEqual([
      { name: 'server', resources: { limits: { cpu: '400m' } } },
    ])
  })

  it('infers increased load from several throttled services if containers cannot be inspected', async () => {
    const usages = [throttledUsage('frontend'), throttledUsage('cart')]
    const objects = shopObjects(pod('cart', { node: 'node-2' }))
    expect(await findHypotheses({ ...overloadedShop }, {}, 'traffic-surge')).toEqual([])
    expect(
      (await findOnlyHypothesis('traffic-surge', { ...overloadedShop, objects, usage: usages })).services,
    ).toEqual(['frontend', 'cart'])
  })

  it('does not infer increased load if other programs run in the container', async () => {
    const answers = { 'frontend-abc': 'node\nnode\nburn\nburn\nburn\nburn\n' }
    expect(await findHypotheses({ ...overloadedShop, answers }, {}, 'traffic-surge')).toEqual([])
  })

  it('drains a node whose pods are throttled', async () => {
    const objects = shopObjects(pod('store', { node: 'node-2' }))
    const hypothesis = await findOnlyHypothesis('faulty-node', {
      objects,
      usage: [throttledUsage('frontend'), throttledUsage('cart'), usage('store')],
    })
    expect(hypothesis).toMatchObject({ layer: 'hardware', type: 'capacity-shortage' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s_drain']).toMatchObject({
      name: 'node-1',
      state: 'drain',
    })
  })

  it('does not blame the node if one service explains the symptoms', async () => {
    const objects = shopObjects(pod('cart', { node: 'node-2' }))
    const edges = [slowEdge('frontend', 'cart', 2000), slowEdge('cart', 'store', 900)]
    expect(await findHypotheses({ objects, edges }, {}, 'faulty-node')).toEqual([])
    const focus = { service: 'cart', category: 'network-delay' } as const
    expect(await findHypotheses({ objects, edges }, focus, 'faulty-node')).toEqual([])
    const shopWithNoise = {
      objects: shopObjects(),
      edges: [...edges, slowEdge('frontend', 'store', 90)],
      before: [...BASELINE, edge('frontend', 'store')],
    }
    expect(await findHypotheses(shopWithNoise, focus, 'faulty-node')).toEqual([])
  })

  it('drains a node with slow calls to and from it', async () => {
    const objects = shopObjects(pod('store', { node: 'node-2' }), ...deployment('ads'), pod('ads'))
    const before = [...BASELINE, edge('ads', 'store')]
    const edges = [
      slowEdge('frontend', 'cart', 200),
      slowEdge('cart', 'store', 90),
      slowEdge('ads', 'store', 160),
    ]
    const hypothesis = await findOnlyHypothesis('faulty-node', { objects, edges, before })
    expect(hypothesis).toMatchObject({ layer: 'hardware', type: 'network-storage-issue' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s_drain'].name).toBe('node-1')
  })
})
