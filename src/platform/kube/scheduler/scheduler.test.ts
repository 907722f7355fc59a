/** Tests of the scheduler: placement, messages, preemption and volumes. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { persistentVolumeClaims, podDisruptionBudgets, pods, storageClasses } from '#platform/kube/kinds'
import { createTestScheduler } from './testing/create-test-scheduler.ts'

const NO_VICTIMS = 'No preemption victims found for incoming pod.'

describe('the scheduler', () => {
  it('assigns a node and records an event', () => {
    const { addNode, addPod, nodeOf, eventsOf } = createTestScheduler()
    addNode('node1')
    addPod('web')
    expect(nodeOf('web')).toBe('node1')
    expect(eventsOf('web')).toEqual(['Scheduled Successfully assigned default/web to node1'])
  })

  it('spreads equal pods over equal nodes, the same way for the same seed', () => {
    const placePods = (): string[] => {
      const { addNode, addPod, nodeOf } = createTestScheduler()
      for (const name of ['node1', 'node2', 'node3']) addNode(name)
      const names = Array.from({ length: 6 }, (_, index) => `p${index}`)
      for (const name of names) addPod(name, { cpu: '100m' })
      return names.map((name) => nodeOf(name)!)
    }
    const [first, second] = [placePods(), placePods()]
    expect(first).toEqual(second)
    for (const name of ['node1', 'node2', 'node3'])
      expect(first.filter((candidate) => candidate === name)).toHaveLength(2)
  })

  it('ignores gated pods and pods of other schedulers', () => {
    const { client, clock, addNode, addPod, nodeOf, pod } = createTestScheduler()
    addNode('node1')
    addPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] })
    addPod('other', { schedulerName: 'other' })
    clock.advance(1000)
    expect([nodeOf('gated'), nodeOf('other')]).toEqual([undefined, undefined])
    const { schedulingGates: _, ...spec } = pod('gated').spec
    client.update(pods, { ...pod('gated'), spec })
    clock.advance(0)
    expect(nodeOf('gated')).toBe('node1')
  })

  it('places 500 pods', () => {
    const { addNode, addPod, client } = createTestScheduler()
    for (let index = 0; index < 5; index += 1) addNode(`node${index}`, {}, {}, '100')
    for (let index = 0; index < 500; index += 1) addPod(`p${index}`, { cpu: '10m' })
    expect(client.list(pods).every(({ spec }) => spec.nodeName !== undefined)).toBe(true)
  })
})

describe('unschedulable pods', () => {
  it('get the condition and event of the real scheduler', () => {
    const { addNode, addPod, reasonFor, eventsOf, pod } = createTestScheduler()
    addNode('node1')
    addPod('unsched', { cpu: '64' })
    const message = `0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 ${NO_VICTIMS}`
    expect(reasonFor('unsched')).toBe(message)
    expect(pod('unsched').status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', lastProbeTime: null, reason: 'Unschedulable', message },
    ])
    expect(eventsOf('unsched')).toEqual([`FailedScheduling ${message}`])
  })

  it('list the reasons of all nodes, counted and sorted', () => {
    const { addNode, addPod, reasonFor } = createTestScheduler()
    addNode('node1')
    addNode('node2', {}, { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] })
    addNode('node3', {}, { unschedulable: true })
    addPod('p', { cpu: '3' })
    expect(reasonFor('p')).toBe(
      `0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {dedicated: gpu}, 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 1 ${NO_VICTIMS.slice(0, -1)}, 2 Preemption is not helpful for scheduling.`,
    )
  })

  it.each([
    ['node selector', { nodeSelector: { disk: 'ssd' } }, "node(s) didn't match Pod's node affinity/selector"],
    [
      'host ports',
      { containers: [{ name: 'c', image: 'x', ports: [{ containerPort: 80, hostPort: 80 }] }] },
      "node(s) didn't have free ports for the requested pod ports",
    ],
    [
      'anti-affinity',
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'first' } } },
            ],
          },
        },
      },
      "node(s) didn't match pod anti-affinity rules",
    ],
    [
      'affinity',
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'none' } } },
            ],
          },
        },
      },
      "node(s) didn't match pod affinity rules",
    ],
    [
      'spread',
      {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      },
      "node(s) didn't match pod topology spread constraints (missing required label)",
    ],
  ])('get the reason for an unsatisfied requirement: %s', (_, spec, reason) => {
    const { addNode, addPod, reasonFor } = createTestScheduler()
    addNode('node1')
    const ports = [{ containerPort: 80, hostPort: 80 }]
    addPod('first', { containers: [{ name: 'c', image: 'x', ports }] }, { app: 'first' })
    addPod('p', spec as Partial<PodSpec>)
    expect(reasonFor('p')).toContain(`0/1 nodes are available: 1 ${reason}. preemption: 0/1 nodes`)
  })

  it('respect the anti-affinity of existing pods', () => {
    const { addNode, addPod, reasonFor } = createTestScheduler()
    addNode('node1')
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }
    addPod('exclusive', {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    })
    addPod('web', {}, { app: 'web' })
    expect(reasonFor('web')).toContain("1 node(s) didn't satisfy existing pods anti-affinity rules")
  })

  it('report that there are no nodes, and are placed once a node exists', () => {
    const { clock, addNode, addPod, reasonFor, nodeOf } = createTestScheduler()
    addPod('p')
    expect(reasonFor('p')).toBe('no nodes available to schedule pods')
    clock.advance(5000)
    addNode('node1')
    clock.advance(0)
    expect(nodeOf('p')).toBe('node1')
  })

  it('are retried only after a relevant change', () => {
    const { client, clock, addNode, addPod, eventsOf, nodeOf } = createTestScheduler()
    addNode('node1')
    addPod('big', { cpu: '2' })
    addPod('waits', { cpu: '1' })
    clock.advance(60_000)
    expect(eventsOf('waits')).toHaveLength(1)
    expect(eventsOf('waits')[0]).not.toContain('(x')
    client.delete(pods, 'default', 'big', { gracePeriodSeconds: 0 })
    clock.advance(0)
    expect(nodeOf('waits')).toBe('node1')
  })
})

describe('affinity or a spread constraint', () => {
  it('places a group on one node, including its first pod', () => {
    const { addNode, addPod, nodeOf } = createTestScheduler()
    for (const name of ['node1', 'node2', 'node3']) addNode(name, { zone: name === 'node3' ? 'b' : 'a' })
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    for (const name of ['a', 'b', 'c']) addPod(name, { affinity }, { app: 'web' })
    expect(new Set(['a', 'b', 'c'].map(nodeOf)).size).toBe(1)
  })

  it('respects preferred node affinity', () => {
    const { addNode, addPod, nodeOf } = createTestScheduler()
    for (const name of ['node1', 'node2', 'node3']) addNode(name, name === 'node2' ? { disk: 'ssd' } : {})
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }
    addPod('p', {
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] },
      },
    })
    expect(nodeOf('p')).toBe('node2')
  })

  it('does not read a topology key from Object.prototype', () => {
    const { addNode, addPod, nodeOf } = createTestScheduler()
    addNode('node1')
    const selector = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'constructor' }
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [selector] }
    addPod('web', { affinity: { podAffinity } }, { app: 'web' })
    expect(nodeOf('web')).toBeUndefined()
  })

  it('spreads pods over zones under a DoNotSchedule constraint', () => {
    const { addNode, addPod, nodeOf, reasonFor } = createTestScheduler()
    addNode('node1', { zone: 'a' })
    addNode('node2', { zone: 'b' }, {}, '1')
    const topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ]
    for (const name of ['p1', 'p2', 'p3', 'p4'])
      addPod(name, { cpu: '500m', topologySpreadConstraints }, { app: 'web' })
    expect(['p1', 'p2', 'p3', 'p4'].map(nodeOf).sort()).toEqual(['node1', 'node1', 'node2', 'node2'])
    addPod('p5', { cpu: '500m', topologySpreadConstraints }, { app: 'web' })
    expect(nodeOf('p5')).toBe('node1')
    addPod('p6', { cpu: '500m', topologySpreadConstraints }, { app: 'web' })
    expect(reasonFor('p6')).toContain(
      "1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints.",
    )
  })
})

describe('preemption', () => {
  it('evicts the pods of lowest priority and then uses their node', () => {
    const { client, clock, addNode, addPod, nodeOf, pod, eventsOf } = createTestScheduler()
    addNode('node1')
    addNode('node2')
    addPod('low1', { cpu: '2', priority: 10 })
    addPod('low2', { cpu: '2', priority: 5 })
    addPod('high', { cpu: '1', priority: 1000 })
    const victim = 'low2'
    const node = nodeOf(victim)
    expect(pod(victim).metadata.deletionTimestamp).toBeDefined()
    expect(pod(victim).status.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    })
    expect(eventsOf(victim)).toContain(
      `Preempted Preempted by pod ${pod('high').metadata.uid} on node ${node}`,
    )
    expect(pod('high').status.nominatedNodeName).toBe(node)
    expect(eventsOf('high')).toEqual(['FailedScheduling 0/2 nodes are available: 2 Insufficient cpu.'])
    addPod('lowest', { cpu: '1', priority: 1 })
    client.delete(pods, 'default', victim, { gracePeriodSeconds: 0 })
    clock.advance(15_000)
    expect(nodeOf('high')).toBe(node)
    expect(nodeOf('lowest')).toBe(node)
  })

  it('binds the pod soon if the victim has no grace period', () => {
    const { client, clock, addNode, addPod, nodeOf } = createTestScheduler()
    addNode('node1')
    addPod('low', { cpu: '2', priority: 1, terminationGracePeriodSeconds: 0 })
    addPod('high', { cpu: '1', priority: 1000 })
    expect(client.get(pods, 'default', 'low')).toBeUndefined()
    clock.advance(2000)
    expect(nodeOf('high')).toBe('node1')
  })

  it('avoids violating disruption budgets', () => {
    const { client, addNode, addPod, pod } = createTestScheduler()
    addNode('node1')
    addNode('node2')
    addPod('guarded', { cpu: '2', priority: 1 }, { app: 'guarded' })
    addPod('free', { cpu: '2', priority: 2 })
    client.create(podDisruptionBudgets, {
      metadata: { name: 'guard', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    })
    addPod('high', { cpu: '1', priority: 1000 })
    expect(pod('guarded').metadata.deletionTimestamp).toBeUndefined()
    expect(pod('free').metadata.deletionTimestamp).toBeDefined()
  })

  it('does not read disrupted pods from Object.prototype', () => {
    const { client, addNode, addPod, pod } = createTestScheduler()
    addNode('node1')
    addNode('node2')
    addPod('constructor', { cpu: '2', priority: 1 }, { app: 'guarded' })
    addPod('free', { cpu: '2', priority: 2 })
    client.create(podDisruptionBudgets, {
      metadata: { name: 'guard', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    })
    const budget = client.get(podDisruptionBudgets, 'default', 'guard')!
    client.updateStatus(podDisruptionBudgets, { ...budget, status: { ...budget.status, disruptedPods: {} } })
    addPod('high', { cpu: '1', priority: 1000 })
    expect(pod('constructor').metadata.deletionTimestamp).toBeUndefined()
    expect(pod('free').metadata.deletionTimestamp).toBeDefined()
  })

  it('is refused if preemptionPolicy is Never', () => {
    const { addNode, addPod, reasonFor } = createTestScheduler()
    addNode('node1')
    addPod('low', { cpu: '2' })
    addPod('never', { cpu: '1', priority: 1000, preemptionPolicy: 'Never' })
    expect(reasonFor('never')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    )
  })
})

describe('volumes', () => {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]

  it('must exist and be bound', () => {
    const { client, addNode, addPod, reasonFor } = createTestScheduler()
    addNode('node1')
    addPod('p', { volumes })
    expect(reasonFor('p')).toBe(
      '0/1 nodes are available: persistentvolumeclaim "data" not found. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    )
    client.create(persistentVolumeClaims, {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    addPod('q', { volumes })
    expect(reasonFor('q')).toContain('pod has unbound immediate PersistentVolumeClaims.')
  })

  it('with WaitForFirstConsumer are bound after a node is selected, and before the pod is bound', () => {
    const { client, clock, addNode, addPod, nodeOf } = createTestScheduler()
    addNode('node1')
    client.create(storageClasses, {
      metadata: { name: 'local' },
      provisioner: 'example.com/disk',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    client.create(persistentVolumeClaims, {
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        resources: { requests: { storage: '1Gi' } },
      },
    })
    addPod('p', { volumes })
    const claim = client.get(persistentVolumeClaims, 'default', 'data')!
    expect(claim.metadata.annotations).toMatchObject({ 'volume.kubernetes.io/selected-node': 'node1' })
    expect(nodeOf('p')).toBeUndefined()
    client.update(persistentVolumeClaims, {
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' },
      },
      spec: { ...claim.spec, volumeName: 'pv1' },
    })
    clock.advance(0)
    expect(nodeOf('p')).toBe('node1')
  })
})
