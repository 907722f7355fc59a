/** Draining a node through the API: a disruption budget blocks the second eviction until the first pod is replaced. */
import { expect, it } from 'vitest'
import { deployments, nodes, podDisruptionBudgets, pods } from '#platform/kube/kinds'
import { conditionTexts, createScenario, webDeployment } from '../testing/create-scenario.ts'

it('evicts one pod at a time', async () => {
  const { admin, client, clock, seconds, until, eventsOf } = createScenario({
    images: { 'web:1': { run: () => ({ stop: { afterMs: 2000, exitCode: 0 } }) } },
  })
  client.create(deployments, webDeployment(4))
  client.create(podDisruptionBudgets, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } },
  })
  const ready = (): number => client.get(deployments, 'default', 'web')!.status.readyReplicas ?? 0
  const budget = () => client.get(podDisruptionBudgets, 'default', 'web')!
  until(() => ready() === 4)
  seconds(1)
  expect(budget().status).toMatchObject({
    currentHealthy: 4,
    desiredHealthy: 3,
    disruptionsAllowed: 1,
    expectedPods: 4,
  })

  await admin.patch({ apiVersion: 'v1', plural: 'nodes', name: 'node2' }, 'merge', {
    spec: { unschedulable: true },
  })
  seconds(1)
  expect(client.get(nodes, '', 'node2')!.spec.taints).toMatchObject([
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
  ])
  const onNode = () =>
    client
      .list(pods)
      .filter(({ spec, metadata }) => spec.nodeName === 'node2' && metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => ({ namespace: 'default', name: metadata.name }))
  const [first, second] = onNode()
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

  until(() => ready() === 4)
  seconds(1)
  await admin.evict(second!)
  until(() => ready() === 4)
  seconds(60)
  expect(onNode()).toEqual([])
  expect(client.list(pods).map(({ spec }) => spec.nodeName)).toEqual(['node1', 'node1', 'node1', 'node1'])
})
