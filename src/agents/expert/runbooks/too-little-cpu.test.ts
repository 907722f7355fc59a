/** Too little CPU: autoscalers, crowds and nodes. */
import { describe, expect, it } from 'vitest'
import { CALM, deployment, edge, other, pod, shop, slow, usage } from '../testing/fake-objects.ts'
import { look, only, tasksOf } from '../testing/look.ts'

describe('too little CPU', () => {
  const starved = (name: string): ReturnType<typeof usage> =>
    usage(name, { cpuCores: 0.2, throttledShare: 0.95 })

  it('raises the ceiling of an autoscaler', async () => {
    const autoscaler = other('autoscaling/v2', 'HorizontalPodAutoscaler', 'cart', {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, minReplicas: 1, maxReplicas: 1 },
      status: { currentReplicas: 1 },
    })
    const found = await only('autoscaler', { objects: shop(autoscaler), usage: [starved('cart')] })
    expect(found).toMatchObject({ services: ['cart'], layer: 'virtualisation', type: 'misconfiguration' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s'].definition.spec).toEqual({
      minReplicas: 4,
      maxReplicas: 8,
    })
  })

  const crowd = CALM.map((one) => ({ ...one, rate: 25 }))
  const crowded = { objects: shop(), edges: crowd, usage: [starved('frontend'), usage('cart')] }

  it('doubles the CPU of those whom a crowd overruns', async () => {
    const found = await only('traffic-surge', {
      ...crowded,
      answers: { 'frontend-abc': 'node\nnode\nsh\ncat\n' },
    })
    expect(found).toMatchObject({ services: ['frontend'], layer: 'hardware', type: 'capacity-shortage' })
    const [definition] = tasksOf(found)[0]['kubernetes.core.k8s'].definition
    expect(definition.spec.template.spec.containers).toEqual([
      { name: 'server', resources: { limits: { cpu: '400m' } } },
    ])
  })

  it('takes several who are overrun for a crowd where nobody may look inside', async () => {
    const all = [starved('frontend'), starved('cart')]
    const objects = shop(pod('cart', { node: 'node-2' }))
    expect(await look({ ...crowded }, {}, 'traffic-surge')).toEqual([])
    expect((await only('traffic-surge', { ...crowded, objects, usage: all })).services).toEqual([
      'frontend',
      'cart',
    ])
  })

  it('does not take workers beside the program for a crowd', async () => {
    const answers = { 'frontend-abc': 'node\nnode\nburn\nburn\nburn\nburn\n' }
    expect(await look({ ...crowded, answers }, {}, 'traffic-surge')).toEqual([])
  })

  it('drains a node on which all are starved', async () => {
    const objects = shop(pod('store', { node: 'node-2' }))
    const found = await only('sick-node', {
      objects,
      usage: [starved('frontend'), starved('cart'), usage('store')],
    })
    expect(found).toMatchObject({ layer: 'hardware', type: 'capacity-shortage' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s_drain']).toMatchObject({ name: 'node-1', state: 'drain' })
  })

  it('does not blame the node where one service explains all, be it on another one', async () => {
    const objects = shop(pod('cart', { node: 'node-2' }))
    const edges = [slow('frontend', 'cart', 2000), slow('cart', 'store', 900)]
    expect(await look({ objects, edges }, {}, 'sick-node')).toEqual([])
    const focus = { service: 'cart', category: 'network-delay' } as const
    expect(await look({ objects, edges }, focus, 'sick-node')).toEqual([])
    const noise = {
      objects: shop(),
      edges: [...edges, slow('frontend', 'store', 90)],
      before: [...CALM, edge('frontend', 'store')],
    }
    expect(await look(noise, focus, 'sick-node')).toEqual([])
  })

  it('drains a node to and from which all is slow', async () => {
    const objects = shop(pod('store', { node: 'node-2' }), ...deployment('ads'), pod('ads'))
    const before = [...CALM, edge('ads', 'store')]
    const edges = [slow('frontend', 'cart', 200), slow('cart', 'store', 90), slow('ads', 'store', 160)]
    const found = await only('sick-node', { objects, edges, before })
    expect(found).toMatchObject({ layer: 'hardware', type: 'network-storage-issue' })
    expect(tasksOf(found)[0]['kubernetes.core.k8s_drain'].name).toBe('node-1')
  })
})
