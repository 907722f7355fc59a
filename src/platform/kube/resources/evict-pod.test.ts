/** Tests of binding and eviction. */
import { beforeEach, describe, expect, it } from 'vitest'
import { podDisruptionBudgets, pods } from '#platform/kube/kinds'
import { createTestResources, rejection, type TestResources } from './testing/create-test-resources.ts'

let client: TestResources['client']
let createPod: TestResources['createPod']

beforeEach(() => {
  ;({ client, createPod } = createTestResources())
})

describe('binding', () => {
  it('sets the node and the condition of a pod once', () => {
    createPod()
    client.bind('default', 'p', 'node1')
    expect(client.get(pods, 'default', 'p')).toMatchObject({
      spec: { nodeName: 'node1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    })
    expect(rejection(() => client.bind('default', 'p', 'node2'))).toBe(
      '409 Conflict: Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "node1"',
    )
    expect(rejection(() => client.bind('default', 'none', 'node2'))).toBe(
      '404 NotFound: pods "none" not found',
    )
  })
})

describe('eviction', () => {
  const createReadyPod = (name: string): void => {
    createPod(name)
    client.bind('default', name, 'node1')
    const stored = client.get(pods, 'default', name)!
    client.updateStatus(pods, {
      ...stored,
      status: { ...stored.status, phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    })
  }
  const createBudget = (name: string, status: object): void => {
    const created = client.create(podDisruptionBudgets, {
      metadata: { name, namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    } as never)
    client.updateStatus(podDisruptionBudgets, {
      ...created,
      status: { observedGeneration: 1, desiredHealthy: 1, currentHealthy: 1, expectedPods: 1, ...status },
    } as never)
  }

  it('consumes the budget and sets the pod condition; the next eviction is rejected', () => {
    createReadyPod('p')
    createReadyPod('q')
    createBudget('b', { disruptionsAllowed: 1 })
    client.evict('default', 'p')
    expect(client.get(podDisruptionBudgets, 'default', 'b')?.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: '2026-01-01T00:00:00Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    })
    expect(client.get(pods, 'default', 'p')).toMatchObject({
      metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' },
      status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'DisruptionTarget' })]) },
    })
    expect(rejection(() => client.evict('default', 'q'))).toBe(
      "429 TooManyRequests: Cannot evict pod as it would violate the pod's disruption budget.",
    )
    expect(client.get(pods, 'default', 'q')?.metadata.deletionTimestamp).toBeUndefined()
  })

  it('is rejected until the budget is observed, and ignores budgets for pods that are not running', () => {
    createReadyPod('p')
    createBudget('b', { disruptionsAllowed: 1, observedGeneration: 0 })
    expect(rejection(() => client.evict('default', 'p'))).toContain('429 TooManyRequests')
    createPod('pending')
    client.evict('default', 'pending')
    expect(client.get(pods, 'default', 'pending')).toBeUndefined()
  })

  it('checks the resource version before it sets the pod condition', () => {
    createReadyPod('p')
    const version = (): string => client.get(pods, 'default', 'p')!.metadata.resourceVersion
    const before = version()
    expect(
      rejection(() => client.evict('default', 'p', { preconditions: { resourceVersion: '1' } })),
    ).toContain('the ResourceVersion in the precondition (1) does not match')
    expect(version()).toBe(before)
    client.evict('default', 'p', { preconditions: { resourceVersion: before } })
    expect(client.get(pods, 'default', 'p')?.metadata.deletionTimestamp).toBeDefined()
  })

  it('is forbidden if the budget allows a negative number of disruptions', () => {
    createReadyPod('p')
    createBudget('b', { disruptionsAllowed: -1 })
    expect(rejection(() => client.evict('default', 'p'))).toBe(
      '403 Forbidden: poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative',
    )
  })

  it('is rejected if two budgets match', () => {
    createReadyPod('p')
    createBudget('a', { disruptionsAllowed: 1 })
    createBudget('b', { disruptionsAllowed: 1 })
    expect(rejection(() => client.evict('default', 'p'))).toBe(
      '500 : This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  })
})
