/** Tests of the Expert from the briefing to the answers, on fake systems. */
import { describe, expect, it } from 'vitest'
import { agent } from './agent.ts'
import { contextOf, createFakeCluster, type FakeCluster } from './testing/fake-cluster.ts'
import {
  alert,
  BASELINE,
  deployment,
  edge,
  failingEdge,
  pod,
  podTemplate,
  service,
  shopObjects,
  usage,
} from './testing/fake-objects.ts'

type Options = Parameters<typeof contextOf>[1]

const solve = async (cluster: FakeCluster, options: Options = {}) => {
  const thoughts: string[] = []
  for await (const { thought } of agent.solve(contextOf(cluster, options))) thoughts.push(thought)
  const actionNames = cluster.calls.map(({ name }) => name)
  const answers = cluster.calls.findLast(({ name }) => name === 'submit')?.input
  return {
    thoughts,
    actionNames,
    answers,
    playbookCount: actionNames.filter((name) => name === 'run_playbook').length,
  }
}

const createHealthyCluster = (parts: Partial<FakeCluster> = {}): FakeCluster =>
  createFakeCluster({ objects: shopObjects(), edges: [...BASELINE], before: [...BASELINE], ...parts })

const isCartPod = ({ kind, metadata }: { kind: string; metadata: { name: string } }): boolean =>
  kind === 'Pod' && metadata.name === 'cart-abc'

describe('with a report of the kind label', () => {
  it('replaces the pod in few steps, waits for the new pod, and submits', async () => {
    const cluster = createHealthyCluster()
    cluster.onPlaybook = ([task]) => {
      expect(task['kubernetes.core.k8s']).toMatchObject({ state: 'absent', kind: 'Pod', name: 'cart-abc' })
      const successor = pod('cart', { name: 'cart-new' })
      cluster.objects = [...cluster.objects.filter((object) => !isCartPod(object)), successor]
    }
    const { actionNames, playbookCount } = await solve(cluster, {
      task: 'remediation',
      label: [['cart', 'network-delay']],
    })
    expect(playbookCount).toBe(1)
    expect(actionNames.indexOf('run_playbook')).toBeLessThanOrEqual(6)
    expect(actionNames.at(-1)).toBe('submit')
  })

  it('reverts a rollout instead of replacing a pod', async () => {
    const now = podTemplate('cart', { resources: { limits: { cpu: '2m' } } })
    const cluster = createHealthyCluster({
      objects: shopObjects(...deployment('cart', { now, previous: podTemplate('cart'), ready: 0 })),
    })
    cluster.onPlaybook = ([task]) => {
      expect(task['kubernetes.core.k8s']).toMatchObject({
        state: 'patched',
        kind: 'Deployment',
        name: 'cart',
      })
      cluster.objects = shopObjects()
    }
    const { playbookCount } = await solve(cluster, {
      task: 'remediation',
      label: [['cart', 'pod-config-error']],
    })
    expect(playbookCount).toBe(1)
  })

  it('repairs both causes if the report names two', async () => {
    const cluster = createHealthyCluster({
      objects: shopObjects(service('cart', { selector: { app: 'cart-v2' } })),
    })
    const label = [
      ['store', 'cpu-stress'],
      ['cart', 'network-loss'],
    ] as const
    const { playbookCount } = await solve(cluster, { task: 'mitigation', label })
    expect(playbookCount).toBe(2)
  })

  it('continues if one of two causes could not be repaired', async () => {
    const cluster = createHealthyCluster()
    cluster.objects = shopObjects()
    const label = [
      ['store', 'cpu-stress'],
      ['cart', 'network-loss'],
    ] as const
    let repairCount = 0
    cluster.onPlaybook = ([task]) => {
      repairCount += 1
      // No new pod is created.
      if (task['kubernetes.core.k8s'].name === 'cart-abc')
        cluster.objects = cluster.objects.filter((object) => !isCartPod(object))
    }
    const { thoughts } = await solve(cluster, { task: 'mitigation', label })
    expect(repairCount).toBeGreaterThanOrEqual(2)
    expect(thoughts.join('\n')).toContain('did not become ready in time')
  })

  it('changes nothing if the report names no cause', async () => {
    const { playbookCount, answers } = await solve(createHealthyCluster(), { task: 'remediation', label: [] })
    expect(playbookCount).toBe(0)
    expect(answers).not.toHaveProperty('services')
  })
})

describe('with a report of the kind none', () => {
  it('finds the cause, repairs it, verifies the repair, and gives all answers', async () => {
    const cluster = createHealthyCluster({
      objects: shopObjects(service('cart', { selector: { app: 'cart-v2' } })),
      edges: [failingEdge('frontend', 'cart')],
    })
    cluster.onPlaybook = () => {
      cluster.objects = shopObjects()
      cluster.edges = [...BASELINE]
    }
    const { answers, playbookCount, thoughts } = await solve(cluster, { task: 'end-to-end' })
    expect(playbookCount).toBe(1)
    expect(answers).toMatchObject({
      detected: true,
      services: ['cart'],
      layer: 'virtualisation',
      type: 'misconfiguration',
    })
    expect(thoughts.join('\n')).toContain('selects labels that no pod of cart has')
  })

  it('continues if the first repair was not sufficient, and does not repeat a repair', async () => {
    const now = podTemplate('store', { image: 'store:2.0.0' })
    const cluster = createHealthyCluster({
      objects: shopObjects(
        service('cart', { selector: { app: 'cart-v2' } }),
        ...deployment('store', { now, previous: podTemplate('store') }),
      ),
      edges: [failingEdge('frontend', 'cart'), failingEdge('cart', 'store')],
    })
    const repairedKinds: string[] = []
    cluster.onPlaybook = ([task]) => repairedKinds.push(task['kubernetes.core.k8s'].kind)
    await solve(cluster)
    expect(repairedKinds.filter((kind) => kind !== 'Pod').sort()).toEqual(['Deployment', 'Service'])
    expect(cluster.calls.length).toBeLessThanOrEqual(40)
  })

  it('changes nothing if the fault is transient', async () => {
    const cluster = createHealthyCluster({ objects: shopObjects(...deployment('cart', { replicas: 0 })) })
    let waited = 0
    cluster.onSleep = (ms) => {
      waited += ms
      if (waited > 7000) cluster.objects = shopObjects()
    }
    const { playbookCount, answers } = await solve(cluster)
    expect(playbookCount).toBe(0)
    expect(answers).toBeDefined()
  })

  it('repairs without a second check if too few steps are left', async () => {
    const cluster = createHealthyCluster({ objects: shopObjects(...deployment('cart', { replicas: 0 })) })
    cluster.onPlaybook = () => {
      cluster.objects = shopObjects()
    }
    expect((await solve(cluster, { steps: 12 })).playbookCount).toBe(1)
  })

  it('stops before the budget is spent, and submits', async () => {
    const cluster = createHealthyCluster({ edges: [failingEdge('frontend', 'cart')] })
    await solve(cluster, { steps: 9 })
    expect(cluster.calls.filter(({ name }) => name !== 'submit').length).toBeLessThan(9)
    expect(cluster.calls.at(-1)).toMatchObject({ name: 'submit' })
  })

  it('repairs an intermittent fault', async () => {
    const unready = shopObjects(pod('cart', { ready: false }))
    const cluster = createHealthyCluster({ objects: unready })
    let sleeps = 0
    cluster.onSleep = () => {
      sleeps += 1
      cluster.objects = sleeps % 2 === 1 ? shopObjects() : unready
    }
    cluster.onPlaybook = () => {
      cluster.onSleep = () => {}
      cluster.objects = shopObjects(pod('cart', { name: 'cart-new' }))
    }
    expect((await solve(cluster)).playbookCount).toBe(1)
  })

  it('changes nothing in a healthy system, and submits detected=false', async () => {
    const cluster = createHealthyCluster({ usage: [usage('cart')] })
    const { playbookCount, answers } = await solve(cluster, { task: 'end-to-end' })
    expect(playbookCount).toBe(0)
    expect(answers).toMatchObject({ detected: false })
  })
})

describe('in read-only tasks', () => {
  it('reports whether a fault is present', async () => {
    const alertingCluster = createHealthyCluster({
      alerts: [alert('JourneyErrorBudgetBurn', '5 of 9 runs of the journey buy failed in the last 30 s')],
    })
    expect((await solve(alertingCluster, { task: 'detection' })).answers).toMatchObject({ detected: true })
    const healthyCluster = createHealthyCluster()
    const { answers, actionNames } = await solve(healthyCluster, { task: 'detection' })
    expect(answers).toMatchObject({ detected: false })
    expect(actionNames.length).toBeLessThanOrEqual(15)
  })

  it('detects a fault with late symptoms', async () => {
    const cluster = createHealthyCluster()
    cluster.onSleep = (ms) => {
      if (ms > 0) cluster.alerts = [alert('JourneySlow', 'Three of ten runs take over 300 ms')]
    }
    expect((await solve(cluster, { task: 'detection' })).answers).toMatchObject({ detected: true })
  })

  it('names all causes, most likely first, and changes nothing', async () => {
    const now = podTemplate('store', { image: 'store:2.0.0' })
    const cluster = createHealthyCluster({
      objects: shopObjects(
        service('cart', { selector: { app: 'cart-v2' } }),
        ...deployment('store', { now, previous: podTemplate('store') }),
      ),
      edges: [failingEdge('frontend', 'cart'), edge('cart', 'store')],
    })
    const { answers, playbookCount } = await solve(cluster, { task: 'localisation' })
    expect(answers.services.toSorted()).toEqual(['cart', 'store'])
    expect(answers.services[0]).toBe('cart')
    expect(playbookCount).toBe(0)
  })

  it('submits layer and type', async () => {
    const cluster = createHealthyCluster({ objects: shopObjects(...deployment('cart', { replicas: 0 })) })
    const { answers } = await solve(cluster, { task: 'analysis' })
    expect(answers).toMatchObject({ layer: 'virtualisation', type: 'operation-error' })
  })
})
