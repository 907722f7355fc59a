/** Tests that the pods of an unreachable node are replaced, and that the node recovers. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { expect, it } from 'vitest'
import { deployments, nodes, pods } from '#platform/kube/kinds'
import { fromTime, type Stored } from '#platform/kube/meta'
import { conditionTexts, createScenario, webDeployment } from '../testing/create-scenario.ts'

it('pods on an unreachable node are evicted after their toleration time, and the node recovers', () => {
  const { clock, cluster, client, advanceSeconds, until, eventsOf } = createScenario()
  const readyReplicas = (): number => client.get(deployments, 'default', 'web')!.status.readyReplicas ?? 0
  const podsOn = (node: string): readonly Stored<Pod>[] =>
    client.list(pods).filter(({ spec }) => spec.nodeName === node)
  client.create(deployments, webDeployment(4))
  until(() => readyReplicas() === 4)
  expect([podsOn('node1').length, podsOn('node2').length]).toEqual([2, 2])

  cluster.kubelets.get('node2')!.setHealthy(false)
  const node2 = () => client.get(nodes, '', 'node2')!
  until(() => conditionTexts(node2()).some((text) => text.startsWith('Ready Unknown')), 60)
  advanceSeconds(1)
  expect(conditionTexts(node2())).toEqual([
    'MemoryPressure Unknown NodeStatusUnknown: Kubelet stopped posting node status.',
    'DiskPressure Unknown NodeStatusUnknown: Kubelet stopped posting node status.',
    'PIDPressure Unknown NodeStatusUnknown: Kubelet stopped posting node status.',
    'Ready Unknown NodeStatusUnknown: Kubelet stopped posting node status.',
  ])
  expect(node2().spec.taints!.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/unreachable:NoExecute',
  ])
  expect(eventsOf(node2()).at(-1)).toBe('Normal NodeNotReady: Node node2 status is now: NodeNotReady')
  expect(readyReplicas()).toBe(2)
  const [unreadyPod] = podsOn('node2')
  expect(conditionTexts(unreadyPod!)).toContain('Ready False :')
  expect(eventsOf(unreadyPod!).at(-1)).toBe('Warning NodeNotReady: Node is not ready')

  const unreachableSince = clock.now()
  until(() => podsOn('node2')[0]!.metadata.deletionTimestamp !== undefined, 400)
  expect((clock.now() - unreachableSince) / 1000).toBeCloseTo(299, -1)
  until(() => readyReplicas() === 4)
  expect(podsOn('node1')).toHaveLength(4)
  const [evicted] = podsOn('node2')
  expect(fromTime(evicted!.metadata.deletionTimestamp!) - clock.now()).toBeLessThanOrEqual(30_000)
  expect(conditionTexts(evicted!)).toContain(
    'DisruptionTarget True DeletionByTaintManager: Taint manager: deleting due to NoExecute taint',
  )
  expect(eventsOf(evicted!).at(-1)).toBe(
    `Normal TaintManagerEviction: Marking for deletion Pod default/${evicted!.metadata.name}`,
  )

  advanceSeconds(600)
  expect(podsOn('node2')).toHaveLength(2)
  cluster.kubelets.get('node2')!.setHealthy(true)
  advanceSeconds(60)
  expect(podsOn('node2')).toEqual([])
  expect(node2().spec.taints).toBeUndefined()
  expect(conditionTexts(node2())).toContain('Ready True KubeletReady: kubelet is posting ready status')
})
