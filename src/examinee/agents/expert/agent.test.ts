/** Tests of the Expert from the briefing to the answers, on fake systems. */
import { describe, expect, it } from 'vitest'
import { agent } from './agent.ts'
import { contextOf, createFakeCluster, type FakeCluster } from './testing/fake-cluster.ts'
import {
  alert,
  BASELINE,
  deployment,
  edge,
  failing,
  pod,
  service,
  shop,
  template,
  usage,
} from './testing/fake-objects.ts'

type Options = Parameters<typeof contextOf>[1]

const solve = async (cluster: FakeCluster, options: Options = {}) => {
  const thoughts: string[] = []
  for await (const { thought } of agent.solve(contextOf(cluster, options))) thoughts.push(thought)
  const names = cluster.calls.map(({ name }) => name)
  const answers = cluster.calls.findLast(({ name }) => name === 'submit')?.input
  return { thoughts, names, answers, playbooks: names.filter((name) => name === 'run_playbook').length }
}

const healthy = (parts: Partial<FakeCluster> = {}): FakeCluster =>
  createFakeCluster({ objects: shop(), edges: [...BASELINE], before: [...BASELINE], ...parts })

const isCart = ({ kind, metadata }: { kind: string; metadata: { name: string } }): boolean =>
  kind === 'Pod' && metadata.name === 'cart-abc'

describe('with a report that names the cause', () => {
  it('replaces the pod in few steps, waits for the new pod, and submits', async () => {
    const cluster = healthy()
    cluster.onPlaybook = ([task]) => {
      expect(task['kubernetes.core.k8s']).toMatchObject({ state: 'absent', kind: 'Pod', name: 'cart-abc' })
      const successor = pod('cart', { name: 'cart-new' })
      cluster.objects = [...cluster.objects.filter((object) => !isCart(object)), successor]
    }
    const { names, playbooks } = await solve(cluster, {
      task: 'remediation',
      label: [['cart', 'network-delay']],
    })
    expect(playbooks).toBe(1)
    expect(names.indexOf('run_playbook')).toBeLessThanOrEqual(6)
    expect(names.at(-1)).toBe('submit')
  })

  it('reverts a rollout instead of replacing a pod', async () => {
    const now = template('cart', { resources: { limits: { cpu: '2m' } } })
    const cluster = healthy({
      objects: shop(...deployment('cart', { now, previous: template('cart'), ready: 0 })),
    })
    cluster.onPlaybook = ([task]) => {
      expect(task['kubernetes.core.k8s']).toMatchObject({
        state: 'patched',
        kind: 'Deployment',
        name: 'cart',
      })
      cluster.objects = shop()
    }
    const { playbooks } = await solve(cluster, { task: 'remediation', label: [['cart', 'pod-config-error']] })
    expect(playbooks).toBe(1)
  })

  it('repairs both of two causes', async () => {
    const cluster = healthy({ objects: shop(service('cart', { selector: { app: 'cart-v2' } })) })
    const label = [
      ['store', 'cpu-stress'],
      ['cart', 'network-loss'],
    ] as const
    const { playbooks } = await solve(cluster, { task: 'mitigation', label })
    expect(playbooks).toBe(2)
  })

  it('continues if one of two causes could not be repaired', async () => {
    const cluster = healthy()
    cluster.objects = shop()
    const label = [
      ['store', 'cpu-stress'],
      ['cart', 'network-loss'],
    ] as const
    let done = 0
    cluster.onPlaybook = ([task]) => {
      done += 1
      // No new pod is created.
      if (task['kubernetes.core.k8s'].name === 'cart-abc')
        cluster.objects = cluster.objects.filter((object) => !isCart(object))
    }
    const { thoughts } = await solve(cluster, { task: 'mitigation', label })
    expect(done).toBeGreaterThanOrEqual(2)
    expect(thoughts.join('\n')).toContain('did not become ready in time')
  })

  it('changes nothing if the report names no cause', async () => {
    const { playbooks, answers } = await solve(healthy(), { task: 'remediation', label: [] })
    expect(playbooks).toBe(0)
    expect(answers).not.toHaveProperty('services')
  })
})

describe('with a report that names no cause', () => {
  it('finds the cause, repairs it, verifies the repair, and gives all answers', async () => {
    const cluster = healthy({
      objects: shop(service('cart', { selector: { app: 'cart-v2' } })),
      edges: [failing('frontend', 'cart')],
    })
    cluster.onPlaybook = () => {
      cluster.objects = shop()
      cluster.edges = [...BASELINE]
    }
    const { answers, playbooks, thoughts } = await solve(cluster, { task: 'end-to-end' })
    expect(playbooks).toBe(1)
    expect(answers).toMatchObject({
      detected: true,
      services: ['cart'],
      layer: 'virtualisation',
      type: 'misconfiguration',
    })
    expect(thoughts.join('\n')).toContain('selects labels that no pod of cart has')
  })

  it('continues if the first repair was not sufficient, and does not repeat a repair', async () => {
    const now = template('store', { image: 'store:2.0.0' })
    const cluster = healthy({
      objects: shop(
        service('cart', { selector: { app: 'cart-v2' } }),
        ...deployment('store', { now, previous: template('store') }),
      ),
      edges: [failing('frontend', 'cart'), failing('cart', 'store')],
    })
    const done: string[] = []
    cluster.onPlaybook = ([task]) => done.push(task['kubernetes.core.k8s'].kind)
    await solve(cluster)
    expect(done.filter((kind) => kind !== 'Pod').sort()).toEqual(['Deployment', 'Service'])
    expect(cluster.calls.length).toBeLessThanOrEqual(40)
  })

  it('changes nothing if the fault is transient', async () => {
    const cluster = healthy({ objects: shop(...deployment('cart', { replicas: 0 })) })
    let waited = 0
    cluster.onSleep = (ms) => {
      waited += ms
      if (waited > 7000) cluster.objects = shop()
    }
    const { playbooks, answers } = await solve(cluster)
    expect(playbooks).toBe(0)
    expect(answers).toBeDefined()
  })

  it('repairs without a second check if too few steps are left', async () => {
    const cluster = healthy({ objects: shop(...deployment('cart', { replicas: 0 })) })
    cluster.onPlaybook = () => {
      cluster.objects = shop()
    }
    expect((await solve(cluster, { steps: 12 })).playbooks).toBe(1)
  })

  it('reserves the last steps, and submits', async () => {
    const cluster = healthy({ edges: [failing('frontend', 'cart')] })
    await solve(cluster, { steps: 9 })
    expect(cluster.calls.filter(({ name }) => name !== 'submit').length).toBeLessThan(9)
    expect(cluster.calls.at(-1)).toMatchObject({ name: 'submit' })
  })

  it('repairs an intermittent fault', async () => {
    const unready = shop(pod('cart', { ready: false }))
    const cluster = healthy({ objects: unready })
    let sleeps = 0
    cluster.onSleep = () => {
      sleeps += 1
      cluster.objects = sleeps % 2 === 1 ? shop() : unready
    }
    cluster.onPlaybook = () => {
      cluster.onSleep = () => {}
      cluster.objects = shop(pod('cart', { name: 'cart-new' }))
    }
    expect((await solve(cluster)).playbooks).toBe(1)
  })

  it('changes nothing in a healthy system, and submits detected=false', async () => {
    const cluster = healthy({ usage: [usage('cart')] })
    const { playbooks, answers } = await solve(cluster, { task: 'end-to-end' })
    expect(playbooks).toBe(0)
    expect(answers).toMatchObject({ detected: false })
  })
})

describe('in read-only tasks', () => {
  it('detects a fault, and a healthy system', async () => {
    const raised = healthy({
      alerts: [alert('JourneyErrorBudgetBurn', '5 of 9 runs of the journey buy failed in the last 30 s')],
    })
    expect((await solve(raised, { task: 'detection' })).answers).toMatchObject({ detected: true })
    const quiet = healthy()
    const { answers, names } = await solve(quiet, { task: 'detection' })
    expect(answers).toMatchObject({ detected: false })
    expect(names.length).toBeLessThanOrEqual(15)
  })

  it('detects a fault with late symptoms', async () => {
    const cluster = healthy()
    cluster.onSleep = (ms) => {
      if (ms > 0) cluster.alerts = [alert('JourneySlow', 'Three of ten runs take over 300 ms')]
    }
    expect((await solve(cluster, { task: 'detection' })).answers).toMatchObject({ detected: true })
  })

  it('names all causes, most likely first, and changes nothing', async () => {
    const now = template('store', { image: 'store:2.0.0' })
    const cluster = healthy({
      objects: shop(
        service('cart', { selector: { app: 'cart-v2' } }),
        ...deployment('store', { now, previous: template('store') }),
      ),
      edges: [failing('frontend', 'cart'), edge('cart', 'store')],
    })
    const { answers, playbooks } = await solve(cluster, { task: 'localisation' })
    expect(answers.services.toSorted()).toEqual(['cart', 'store'])
    expect(answers.services[0]).toBe('cart')
    expect(playbooks).toBe(0)
  })

  it('submits layer and type', async () => {
    const cluster = healthy({ objects: shop(...deployment('cart', { replicas: 0 })) })
    const { answers } = await solve(cluster, { task: 'analysis' })
    expect(answers).toMatchObject({ layer: 'virtualisation', type: 'operation-error' })
  })
})
