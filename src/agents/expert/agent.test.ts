/** The Expert as a whole, over small systems: what it asks, does and answers in each task. */
import { describe, expect, it } from 'vitest'
import { agent } from './agent.ts'
import { contextOf, createFakeCluster, type FakeCluster } from './testing/fake-cluster.ts'
import {
  alert,
  CALM,
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

const calm = (parts: Partial<FakeCluster> = {}): FakeCluster =>
  createFakeCluster({ objects: shop(), edges: [...CALM], before: [...CALM], ...parts })

const isCart = ({ kind, metadata }: { kind: string; metadata: { name: string } }): boolean =>
  kind === 'Pod' && metadata.name === 'cart-abc'

describe('with a label', () => {
  it('replaces the pod in few steps, waits for its successor, and submits', async () => {
    const cluster = calm()
    cluster.onPlaybook = ([task]) => {
      expect(task['kubernetes.core.k8s']).toMatchObject({ state: 'absent', kind: 'Pod', name: 'cart-abc' })
      const heir = pod('cart', { name: 'cart-new' })
      cluster.objects = [...cluster.objects.filter((one) => !isCart(one)), heir]
    }
    const { names, playbooks } = await solve(cluster, {
      task: 'remediation',
      label: [['cart', 'network-delay']],
    })
    expect(playbooks).toBe(1)
    expect(names.indexOf('run_playbook')).toBeLessThanOrEqual(6)
    expect(names.at(-1)).toBe('submit')
  })

  it('takes a rollout back rather than a pod away', async () => {
    const now = template('cart', { resources: { limits: { cpu: '2m' } } })
    const cluster = calm({
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

  it('mends both of two', async () => {
    const cluster = calm({ objects: shop(service('cart', { selector: { app: 'cart-v2' } })) })
    const label = [
      ['store', 'cpu-stress'],
      ['cart', 'network-loss'],
    ] as const
    const { playbooks } = await solve(cluster, { task: 'mitigation', label })
    expect(playbooks).toBe(2)
  })

  it('goes on where one of two could not be mended', async () => {
    const cluster = calm()
    cluster.objects = shop()
    const label = [
      ['store', 'cpu-stress'],
      ['cart', 'network-loss'],
    ] as const
    let done = 0
    cluster.onPlaybook = ([task]) => {
      done += 1
      // Its heir never comes.
      if (task['kubernetes.core.k8s'].name === 'cart-abc')
        cluster.objects = cluster.objects.filter((one) => !isCart(one))
    }
    const { thoughts } = await solve(cluster, { task: 'mitigation', label })
    expect(done).toBeGreaterThanOrEqual(2)
    expect(thoughts.join('\n')).toContain('has not come back in time')
  })

  it('does nothing where no failure was diagnosed', async () => {
    const { playbooks, answers } = await solve(calm(), { task: 'remediation', label: [] })
    expect(playbooks).toBe(0)
    expect(answers).not.toHaveProperty('services')
  })
})

describe('without one', () => {
  it('finds the cause, mends it, looks whether users are well, and answers all', async () => {
    const cluster = calm({
      objects: shop(service('cart', { selector: { app: 'cart-v2' } })),
      edges: [failing('frontend', 'cart')],
    })
    cluster.onPlaybook = () => {
      cluster.objects = shop()
      cluster.edges = [...CALM]
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

  it('goes on where the first mending was not all, and never does the same twice', async () => {
    const now = template('store', { image: 'store:2.0.0' })
    const cluster = calm({
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

  it('leaves alone what passes by itself', async () => {
    const cluster = calm({ objects: shop(...deployment('cart', { replicas: 0 })) })
    let waited = 0
    cluster.onSleep = (ms) => {
      waited += ms
      if (waited > 7000) cluster.objects = shop()
    }
    const { playbooks, answers } = await solve(cluster)
    expect(playbooks).toBe(0)
    expect(answers).toBeDefined()
  })

  it('acts on what it sees where it has no steps left to look again', async () => {
    const cluster = calm({ objects: shop(...deployment('cart', { replicas: 0 })) })
    cluster.onPlaybook = () => {
      cluster.objects = shop()
    }
    expect((await solve(cluster, { steps: 12 })).playbooks).toBe(1)
  })

  it('opens no runbook that would take the last steps', async () => {
    const cluster = calm({ edges: [failing('frontend', 'cart')] })
    await solve(cluster, { steps: 9 })
    expect(cluster.calls.filter(({ name }) => name !== 'submit').length).toBeLessThan(9)
    expect(cluster.calls.at(-1)).toMatchObject({ name: 'submit' })
  })

  it('acts on trouble that comes and goes', async () => {
    const sick = shop(pod('cart', { ready: false }))
    const cluster = calm({ objects: sick })
    let looks = 0
    cluster.onSleep = () => {
      looks += 1
      cluster.objects = looks % 2 === 1 ? shop() : sick
    }
    cluster.onPlaybook = () => {
      cluster.onSleep = () => {}
      cluster.objects = shop(pod('cart', { name: 'cart-new' }))
    }
    expect((await solve(cluster)).playbooks).toBe(1)
  })

  it('changes nothing where nothing is wrong, and says so', async () => {
    const cluster = calm({ usage: [usage('cart')] })
    const { playbooks, answers } = await solve(cluster, { task: 'end-to-end' })
    expect(playbooks).toBe(0)
    expect(answers).toMatchObject({ detected: false })
  })
})

describe('questions', () => {
  it('detects what is wrong, and that nothing is', async () => {
    const raised = calm({ alerts: [alert('JourneyErrorBudgetBurn', '5 of 9 walks of buy failed in 30 s')] })
    expect((await solve(raised, { task: 'detection' })).answers).toMatchObject({ detected: true })
    const quiet = calm()
    const { answers, names } = await solve(quiet, { task: 'detection' })
    expect(answers).toMatchObject({ detected: false })
    expect(names.length).toBeLessThanOrEqual(15)
  })

  it('detects trouble that shows only after a while', async () => {
    const cluster = calm()
    cluster.onSleep = (ms) => {
      if (ms > 0) cluster.alerts = [alert('JourneySlow', 'Three of ten walks take over 300 ms')]
    }
    expect((await solve(cluster, { task: 'detection' })).answers).toMatchObject({ detected: true })
  })

  it('names all culprits, the likeliest first, and touches nothing', async () => {
    const now = template('store', { image: 'store:2.0.0' })
    const cluster = calm({
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

  it('tells layer and type', async () => {
    const cluster = calm({ objects: shop(...deployment('cart', { replicas: 0 })) })
    const { answers } = await solve(cluster, { task: 'analysis' })
    expect(answers).toMatchObject({ layer: 'virtualisation', type: 'operation-error' })
  })
})
