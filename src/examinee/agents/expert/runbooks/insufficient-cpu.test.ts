/** Tests of the runbooks for insufficient CPU: autoscalers, increased load and nodes. */
import { describe, expect, it } from 'vitest'
import { BASELINE, deployment, edge, object, pod, shop, slow, usage } from '../testing/fake-objects.ts'
import { findHypotheses, findOnly, tasksOf } from '../testing/find-hypotheses.ts'

describe('the Expert, faced with insufficient CPU,', () => {
  const throttled = (name: string): ReturnType<typeof usage> =>
    usage(name, { cpuCores: 0.2, throttledShare: 0.95 })

  it('raises the maximum of an autoscaler', async () => {
    const autoscaler = object('autoscaling/v2', 'HorizontalPodAutoscaler', 'cart', {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, minReplicas: 1, maxReplicas: 1 },
      status: { currentReplicas: 1 },
    })
    const hypothesis = await findOnly('autoscaler', { objects: shop(autoscaler), usage: [throttled('cart')] })
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

  const surge = BASELINE.map((edge) => ({ ...edge, rate: 25 }))
  const overloaded = { objects: shop(), edges: surge, usage: [throttled('frontend'), usage('cart')] }

  it('doubles the CPU limit of a throttled service under increased load', async () => {
    const hypothesis = await findOnly('traffic-surge', {
      ...overloaded,
      answers: { 'frontend-abc': 'node\nnode\nsh\ncat\n' },
    })
    expect(hypothesis).toMatchObject({ services: ['frontend'], layer: 'hardware', type: 'capacity-shortage' })
    const [definition] = tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition
    expect(definition.spec.template.spec.containers).toEqual([
      { name: 'server', resources: { limits: { cpu: '400m' } } },
    ])
  })

  it('infers increased load from several throttled services if containers cannot be inspected', async () => {
    const usages = [throttled('frontend'), throttled('cart')]
    const objects = shop(pod('cart', { node: 'node-2' }))
    expect(await findHypotheses({ ...overloaded }, {}, 'traffic-surge')).toEqual([])
    expect((await findOnly('traffic-surge', { ...overloaded, objects, usage: usages })).services).toEqual([
      'frontend',
      'cart',
    ])
  })

  it('does not infer increased load if other programs run in the container', async () => {
    const answers = { 'frontend-abc': 'node\nnode\nburn\nburn\nburn\nburn\n' }
    expect(await findHypotheses({ ...overloaded, answers }, {}, 'traffic-surge')).toEqual([])
  })

  it('drains a node whose pods are throttled', async () => {
    const objects = shop(pod('store', { node: 'node-2' }))
    const hypothesis = await findOnly('faulty-node', {
      objects,
      usage: [throttled('frontend'), throttled('cart'), usage('store')],
    })
    expect(hypothesis).toMatchObject({ layer: 'hardware', type: 'capacity-shortage' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s_drain']).toMatchObject({
      name: 'node-1',
      state: 'drain',
    })
  })

  it('does not blame the node if one service explains the symptoms', async () => {
    const objects = shop(pod('cart', { node: 'node-2' }))
    const edges = [slow('frontend', 'cart', 2000), slow('cart', 'store', 900)]
    expect(await findHypotheses({ objects, edges }, {}, 'faulty-node')).toEqual([])
    const focus = { service: 'cart', category: 'network-delay' } as const
    expect(await findHypotheses({ objects, edges }, focus, 'faulty-node')).toEqual([])
    const noise = {
      objects: shop(),
      edges: [...edges, slow('frontend', 'store', 90)],
      before: [...BASELINE, edge('frontend', 'store')],
    }
    expect(await findHypotheses(noise, focus, 'faulty-node')).toEqual([])
  })

  it('drains a node with slow calls to and from it', async () => {
    const objects = shop(pod('store', { node: 'node-2' }), ...deployment('ads'), pod('ads'))
    const before = [...BASELINE, edge('ads', 'store')]
    const edges = [slow('frontend', 'cart', 200), slow('cart', 'store', 90), slow('ads', 'store', 160)]
    const hypothesis = await findOnly('faulty-node', { objects, edges, before })
    expect(hypothesis).toMatchObject({ layer: 'hardware', type: 'network-storage-issue' })
    expect(tasksOf(hypothesis)[0]['kubernetes.core.k8s_drain'].name).toBe('node-1')
  })
})
