/** Tests of unreachable nodes, their taints, and the eviction of their pods. */
import type { NodeCondition, Pod, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { leases, nodes, pods } from '#platform/kube/kinds'
import { type Stored, toMicroTime, toTime } from '#platform/kube/meta'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { nodeIpamController } from './node-ipam.ts'
import { createNodeLifecycle } from './node-lifecycle.ts'
import { nodeTtlController } from './node-ttl.ts'
import { createTaintEviction } from './taint-eviction.ts'

const setCondition = ({ client, clock }: TestCluster, name: string, type: string, status: string): void => {
  const node = client.get(nodes, '', name)!
  const others = (node.status.conditions ?? []).filter((condition) => condition.type !== type)
  const time = toTime(clock.now())
  const condition: NodeCondition = { type, status, lastHeartbeatTime: time, lastTransitionTime: time }
  client.updateStatus(nodes, { ...node, status: { ...node.status, conditions: [...others, condition] } })
}

const renewLease = ({ client, clock }: TestCluster, name: string): void => {
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
    setCondition(cluster, name, 'Ready', 'True')
    renewLease(cluster, name)
  }
  cluster.clock.advance(10)
  return cluster
}

/** Advances the clock while the nodes in `alive` renew their leases. */
const advanceWithLeases = (cluster: TestCluster, seconds: number, alive: readonly string[]): void => {
  for (let passed = 0; passed < seconds; passed += 10) {
    for (const name of alive) renewLease(cluster, name)
    cluster.clock.advance(10_000)
  }
}

const addPod = ({ client }: TestCluster, name: string, tolerations: Toleration[] = []): Stored<Pod> =>
  client.create(pods, {
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'node2', tolerations, containers: [{ name: 'c', image: 'i' }] },
  })

const taintsOf = ({ client }: TestCluster, name: string): string[] =>
  (client.get(nodes, '', name)!.spec.taints ?? []).map(
    ({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`,
  )

describe('a new node', () => {
  it('is registered and gets a pod CIDR and a TTL annotation', () => {
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

describe('an unreachable node', () => {
  it('becomes Unknown after 40 seconds, is tainted, and recovers', () => {
    const cluster = start(['node1', 'node2'])
    addPod(cluster, 'web', [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists' }])
    advanceWithLeases(cluster, 30, ['node1'])
    expect(taintsOf(cluster, 'node2')).toEqual([])
    advanceWithLeases(cluster, 20, ['node1'])
    expect(cluster.client.get(nodes, '', 'node2')!.status.conditions).toContainEqual({
      type: 'Ready',
      status: 'Unknown',
      lastHeartbeatTime: '2026-01-01T00:00:00Z',
      lastTransitionTime: '2026-01-01T00:00:45Z',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    })
    expect(taintsOf(cluster, 'node2')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute'])
    expect(cluster.eventsOf('node2')).toContain('NodeNotReady: Node node2 status is now: NodeNotReady')
    expect(cluster.eventsOf('web')).toEqual(['NodeNotReady: Node is not ready'])
    expect(cluster.client.get(pods, 'default', 'web')!.status.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
    ])
    setCondition(cluster, 'node2', 'Ready', 'True')
    advanceWithLeases(cluster, 10, ['node1', 'node2'])
    expect(taintsOf(cluster, 'node2')).toEqual([])
    expect(cluster.errors).toEqual([])
  })

  it('loses each pod after its toleration seconds', () => {
    const cluster = start(['node1', 'node2'])
    const toleration = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }
    addPod(cluster, 'intolerant')
    addPod(cluster, 'bounded', [{ ...toleration, tolerationSeconds: 300 }])
    addPod(cluster, 'unbounded', [toleration, { ...toleration, tolerationSeconds: 1 }])
    advanceWithLeases(cluster, 60, ['node1'])
    const podNames = () => cluster.client.list(pods).map(({ metadata }) => metadata.name)
    expect(podNames()).toEqual(['bounded', 'unbounded'])
    expect(cluster.eventsOf('intolerant')).toContain(
      'TaintManagerEviction: Marking for deletion Pod default/intolerant',
    )
    advanceWithLeases(cluster, 270, ['node1'])
    expect(podNames()).toEqual(['bounded', 'unbounded'])
    const conditions: unknown[] = []
    cluster.client.watch(pods, ({ object }) => conditions.push(...(object.status.conditions ?? [])))
    advanceWithLeases(cluster, 30, ['node1'])
    expect(podNames()).toEqual(['unbounded'])
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      }),
    )
  })

  it('keeps its pods if it recovers in time', () => {
    const cluster = start(['node1', 'node2'])
    const toleration = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }
    addPod(cluster, 'bounded', [{ ...toleration, tolerationSeconds: 300 }])
    advanceWithLeases(cluster, 100, ['node1'])
    setCondition(cluster, 'node2', 'Ready', 'True')
    advanceWithLeases(cluster, 400, ['node1', 'node2'])
    expect(cluster.client.get(pods, 'default', 'bounded')!.metadata.deletionTimestamp).toBeUndefined()
    expect(cluster.eventsOf('bounded')).toContain(
      'TaintManagerEviction: Cancelling deletion of Pod default/bounded',
    )
  })

  it('keeps its pods if no node is ready', () => {
    const cluster = start(['node2'])
    addPod(cluster, 'web')
    advanceWithLeases(cluster, 120, [])
    expect(taintsOf(cluster, 'node2')).toEqual(['unreachable:NoSchedule'])
    expect(cluster.client.get(pods, 'default', 'web')).toBeDefined()
  })
})

describe('taints', () => {
  it('reflect pressure and cordons; taints of users are preserved', () => {
    const cluster = start(['node1'])
    const node = cluster.client.get(nodes, '', 'node1')!
    cluster.client.update(nodes, {
      ...node,
      spec: { ...node.spec, unschedulable: true, taints: [{ key: 'mine', effect: 'NoSchedule' }] },
    })
    setCondition(cluster, 'node1', 'MemoryPressure', 'True')
    cluster.clock.advance(10)
    expect(taintsOf(cluster, 'node1')).toEqual([
      'mine:NoSchedule',
      'memory-pressure:NoSchedule',
      'unschedulable:NoSchedule',
    ])
    setCondition(cluster, 'node1', 'MemoryPressure', 'False')
    const { unschedulable: _, ...spec } = cluster.client.get(nodes, '', 'node1')!.spec
    cluster.client.update(nodes, { ...cluster.client.get(nodes, '', 'node1')!, spec })
    cluster.clock.advance(10)
    expect(taintsOf(cluster, 'node1')).toEqual(['mine:NoSchedule'])
  })
})
