/** Tests of silent nodes, of taints, and of the pods that they drive away. */
import type { NodeCondition, Pod, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { leases, nodes, pods } from '../kinds/index.ts'
import { type Stored, toMicroTime, toTime } from '../meta/index.ts'
import { nodeIpamController } from './node-ipam.ts'
import { createNodeLifecycle } from './node-lifecycle.ts'
import { nodeTtlController } from './node-ttl.ts'
import { createTaintEviction } from './taint-eviction.ts'
import { createTestCluster, type TestCluster } from './testing/create-test-cluster.ts'

const tell = ({ client, clock }: TestCluster, name: string, type: string, status: string): void => {
  const node = client.get(nodes, '', name)!
  const others = (node.status.conditions ?? []).filter((condition) => condition.type !== type)
  const time = toTime(clock.now())
  const condition: NodeCondition = { type, status, lastHeartbeatTime: time, lastTransitionTime: time }
  client.updateStatus(nodes, { ...node, status: { ...node.status, conditions: [...others, condition] } })
}

const beat = ({ client, clock }: TestCluster, name: string): void => {
  const renewTime = toMicroTime(clock.now())
  const lease = client.get(leases, 'kube-node-lease', name)
  if (lease === undefined)
    client.create(leases, { metadata: { name, namespace: 'kube-node-lease' }, spec: { renewTime } })
  else client.update(leases, { ...lease, spec: { ...lease.spec, renewTime } })
}

const start = (names: readonly string[]): TestCluster => {
  const cluster = createTestCluster([
    createNodeLifecycle(),
    createTaintEviction(),
    nodeIpamController,
    nodeTtlController,
  ])
  for (const name of names) {
    cluster.client.create(nodes, { metadata: { name } })
    tell(cluster, name, 'Ready', 'True')
    beat(cluster, name)
  }
  cluster.clock.advance(10)
  return cluster
}

/** Time goes by while these nodes live. */
const live = (cluster: TestCluster, seconds: number, alive: readonly string[]): void => {
  for (let passed = 0; passed < seconds; passed += 10) {
    for (const name of alive) beat(cluster, name)
    cluster.clock.advance(10_000)
  }
}

const addPod = ({ client }: TestCluster, name: string, tolerations: Toleration[] = []): Stored<Pod> =>
  client.create(pods, {
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'node2', tolerations, containers: [{ name: 'c', image: 'i' }] },
  })

const taints = ({ client }: TestCluster, name: string): string[] =>
  (client.get(nodes, '', name)!.spec.taints ?? []).map(
    ({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`,
  )

describe('a new node', () => {
  it('is registered, given a range of addresses and told to trust nothing', () => {
    const cluster = start(['node1', 'node2'])
    const node = cluster.client.get(nodes, '', 'node2')!
    expect(node.spec).toEqual({ podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24'] })
    expect(node.metadata.annotations).toEqual({ 'node.alpha.kubernetes.io/ttl': '0' })
    expect(cluster.eventsOf('node1')).toEqual([
      'RegisteredNode: Node node1 event: Registered Node node1 in Controller',
    ])
    cluster.client.delete(nodes, '', 'node1')
    cluster.clock.advance(10)
    expect(cluster.eventsOf('node1').at(-1)).toBe(
      'RemovingNode: Node node1 event: Removing Node node1 from Controller',
    )
  })
})

describe('a node that falls silent', () => {
  it('becomes unknown after 40 seconds, is tainted, and recovers', () => {
    const cluster = start(['node1', 'node2'])
    addPod(cluster, 'web', [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists' }])
    live(cluster, 30, ['node1'])
    expect(taints(cluster, 'node2')).toEqual([])
    live(cluster, 20, ['node1'])
    expect(cluster.client.get(nodes, '', 'node2')!.status.conditions).toContainEqual({
      type: 'Ready',
      status: 'Unknown',
      lastHeartbeatTime: '2026-01-01T00:00:00Z',
      lastTransitionTime: '2026-01-01T00:00:45Z',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    })
    expect(taints(cluster, 'node2')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute'])
    expect(cluster.eventsOf('node2')).toContain('NodeNotReady: Node node2 status is now: NodeNotReady')
    expect(cluster.eventsOf('web')).toEqual(['NodeNotReady: Node is not ready'])
    expect(cluster.client.get(pods, 'default', 'web')!.status.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
    ])
    tell(cluster, 'node2', 'Ready', 'True')
    live(cluster, 10, ['node1', 'node2'])
    expect(taints(cluster, 'node2')).toEqual([])
    expect(cluster.errors).toEqual([])
  })

  it('loses its pods when their patience is over', () => {
    const cluster = start(['node1', 'node2'])
    const bearing = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }
    addPod(cluster, 'impatient')
    addPod(cluster, 'patient', [{ ...bearing, tolerationSeconds: 300 }])
    addPod(cluster, 'stoic', [bearing, { ...bearing, tolerationSeconds: 1 }])
    live(cluster, 60, ['node1'])
    const names = () => cluster.client.list(pods).map(({ metadata }) => metadata.name)
    expect(names()).toEqual(['patient', 'stoic'])
    expect(cluster.eventsOf('impatient')).toContain(
      'TaintManagerEviction: Marking for deletion Pod default/impatient',
    )
    live(cluster, 270, ['node1'])
    expect(names()).toEqual(['patient', 'stoic'])
    const told: unknown[] = []
    cluster.client.watch(pods, ({ object }) => told.push(...(object.status.conditions ?? [])))
    live(cluster, 30, ['node1'])
    expect(names()).toEqual(['stoic'])
    expect(told).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      }),
    )
  })

  it('keeps its pods when it comes back in time', () => {
    const cluster = start(['node1', 'node2'])
    const bearing = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }
    addPod(cluster, 'patient', [{ ...bearing, tolerationSeconds: 300 }])
    live(cluster, 100, ['node1'])
    tell(cluster, 'node2', 'Ready', 'True')
    live(cluster, 400, ['node1', 'node2'])
    expect(cluster.client.get(pods, 'default', 'patient')!.metadata.deletionTimestamp).toBeUndefined()
    expect(cluster.eventsOf('patient')).toContain(
      'TaintManagerEviction: Cancelling deletion of Pod default/patient',
    )
  })

  it('drives nobody away when no node is left', () => {
    const cluster = start(['node2'])
    addPod(cluster, 'web')
    live(cluster, 120, [])
    expect(taints(cluster, 'node2')).toEqual(['unreachable:NoSchedule'])
    expect(cluster.client.get(pods, 'default', 'web')).toBeDefined()
  })
})

describe('taints', () => {
  it('follow pressure and cordons, and leave those of others alone', () => {
    const cluster = start(['node1'])
    const node = cluster.client.get(nodes, '', 'node1')!
    cluster.client.update(nodes, {
      ...node,
      spec: { ...node.spec, unschedulable: true, taints: [{ key: 'mine', effect: 'NoSchedule' }] },
    })
    tell(cluster, 'node1', 'MemoryPressure', 'True')
    cluster.clock.advance(10)
    expect(taints(cluster, 'node1')).toEqual([
      'mine:NoSchedule',
      'memory-pressure:NoSchedule',
      'unschedulable:NoSchedule',
    ])
    tell(cluster, 'node1', 'MemoryPressure', 'False')
    const { unschedulable: _, ...spec } = cluster.client.get(nodes, '', 'node1')!.spec
    cluster.client.update(nodes, { ...cluster.client.get(nodes, '', 'node1')!, spec })
    cluster.clock.advance(10)
    expect(taints(cluster, 'node1')).toEqual(['mine:NoSchedule'])
  })
})
