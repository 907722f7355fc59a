/** Tests draining a node: a disruption budget blocks the second eviction until the first pod is replaced. */
import { expect, it } from 'vitest'
import { deployments, nodes, podDisruptionBudgets, pods } from '#platform/kube/kinds'
import { conditionTexts, createScenario, webDeployment } from '../testing/create-scenario.ts'

it('a disruption budget allows the eviction of one pod at a time', async () => {
  const { admin, client, clock, advanceSeconds, until, eventsOf } = createScenario({
    images: { 'web:1': { run: () => ({ stop: { afterMs: 2000, exitCode: 0 } }) } },
  })
  client.create(deployments, webDeployment(4))
  client.create(podDisruptionBudgets, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } },
  })
  const readyReplicas = (): number => client.get(deployments, 'default', 'web')!.status.readyReplicas ?? 0
  const budget = () => client.get(podDisruptionBudgets, 'default', 'web')!
  until(() => readyReplicas() === 4)
  advanceSeconds(1)
  expect(budget().status).toMatchObject({
    currentHealthy: 4,
    desiredHealthy: 3,
    disruptionsAllowed: 1,
    expectedPods: 4,
  })

  await admin.patch({ apiVersion: 'v1', plural: 'nodes', name: 'node2' }, 'merge', {
    spec: { unschedulable: true },
  })
  advanceSeconds(1)
  expect(client.get(nodes, '', 'node2')!.spec.taints).toMatchObject([
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
  ])
  const listPodsOnNode = () =>
    client
      .list(pods)
      .filter(({ spec, metadata }) => spec.nodeName === 'node2' && metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => ({ namespace: 'default', name: metadata.name }))
  const [first, second] = listPodsOnNode()
  await admin.evict(first!)
  clock.advance(50)
  await expect(admin.evict(second!)).rejects.toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget web needs 3 healthy pods and has 3 currently',
        },
      ],
    },
  })
  const evicted = client.get(pods, 'default', first!.name)!
  expect(conditionTexts(evicted)).toContain(
    'DisruptionTarget True EvictionByEvictionAPI: Eviction API: evicting',
  )
  expect(eventsOf(evicted).at(-1)).toBe('Normal Killing: Stopping container c')

  until(() => readyReplicas() === 4)
  advanceSeconds(1)
  await admin.evict(second!)
  until(() => readyReplicas() === 4)
  advanceSeconds(60)
  expect(listPodsOnNode()).toEqual([])
  expect(client.list(pods).map(({ spec }) => spec.nodeName)).toEqual(['node1', 'node1', 'node1', 'node1'])
})
