/** Tests of the disruption controller: healthy pods and allowed disruptions. */
import type { PodDisruptionBudgetSpec } from 'kubernetes-types/policy/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { deployments, podDisruptionBudgets, pods } from '#platform/kube/kinds'
import { createTestCluster, type TestCluster } from '../testing/create-test-cluster.ts'
import { deploymentController } from '../workloads/deployment.ts'
import { replicaSetController } from '../workloads/replica-set.ts'
import { podDisruptionBudgetController } from './pod-disruption-budget.ts'

const labels = { app: 'web' }

const start = (spec: Partial<PodDisruptionBudgetSpec>): TestCluster => {
  const cluster = createTestCluster([
    deploymentController,
    replicaSetController,
    podDisruptionBudgetController,
  ])
  cluster.client.create(deployments, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 4,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  })
  cluster.client.create(podDisruptionBudgets, {
    metadata: { name: 'pdb', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, ...spec },
  })
  cluster.clock.advance(5000)
  return cluster
}

const status = ({ client }: TestCluster) => client.get(podDisruptionBudgets, 'default', 'pdb')!.status

describe('a budget', () => {
  it('keeps the conditions of other clients', () => {
    const cluster = start({ minAvailable: 3 })
    const { client, clock } = cluster
    const budget = client.get(podDisruptionBudgets, 'default', 'pdb')!
    const foreign = {
      ...{ type: 'Checked', status: 'True', reason: 'Me', message: '' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const conditions = [...(budget.status.conditions ?? []), foreign]
    client.updateStatus(podDisruptionBudgets, { ...budget, status: { ...budget.status, conditions } })
    client.delete(pods, 'default', client.list(pods)[0]!.metadata.name)
    clock.advance(600)
    expect(status(cluster).disruptionsAllowed).toBe(0)
    expect(status(cluster).conditions).toMatchObject([
      { type: 'DisruptionAllowed', status: 'False' },
      foreign,
    ])
  })

  it('has the same status as in a real cluster', () => {
    const cluster = start({ minAvailable: 3 })
    expect(status(cluster)).toEqual({
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 4,
      desiredHealthy: 3,
      expectedPods: 4,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:01Z',
          reason: 'SufficientPods',
          message: '',
        },
      ],
    })
  })

  it('resolves percentages against the scale of the owner, rounded up', () => {
    expect(status(start({ minAvailable: '30%' }))).toMatchObject({ desiredHealthy: 2, expectedPods: 4 })
    expect(status(start({ maxUnavailable: '30%' }))).toMatchObject({
      desiredHealthy: 2,
      disruptionsAllowed: 2,
    })
  })

  it('changes with the readiness of pods and the scale of the owner', () => {
    const cluster = start({ maxUnavailable: 1 })
    expect(status(cluster).disruptionsAllowed).toBe(1)
    cluster.reportStatus(cluster.client.list(pods)[0]!, { conditions: [{ type: 'Ready', status: 'False' }] })
    cluster.clock.advance(10)
    expect(status(cluster)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ status: 'False', reason: 'InsufficientPods' }],
    })
    const web = cluster.client.get(deployments, 'default', 'web')!
    cluster.client.update(deployments, { ...web, spec: { ...web.spec, replicas: 2 } })
    cluster.clock.advance(5000)
    expect(status(cluster)).toMatchObject({ expectedPods: 2, desiredHealthy: 1 })
  })

  it('counts an eviction until the pod is deleted, for two minutes at most', () => {
    const cluster = start({ minAvailable: 3 })
    const budget = cluster.client.get(podDisruptionBudgets, 'default', 'pdb')!
    const { name } = cluster.client.list(pods)[0]!.metadata
    const disruptedPods = { [name]: '2026-01-01T00:00:05Z' }
    cluster.client.updateStatus(podDisruptionBudgets, {
      ...budget,
      status: { ...budget.status, disruptionsAllowed: 0, disruptedPods },
    })
    cluster.clock.advance(60_000)
    expect(status(cluster)).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 0, disruptedPods })
    cluster.clock.advance(61_000)
    expect(status(cluster).disruptedPods).toBeUndefined()
    expect(status(cluster).disruptionsAllowed).toBe(1)
    expect(cluster.eventsOf(name)).toContain(
      "NotDeleted: Pod was expected by PDB default/pdb to be deleted but it wasn't",
    )
  })

  it('allows no disruption if the expected pods cannot be computed', () => {
    const cluster = start({ minAvailable: '50%' })
    cluster.client.create(pods, {
      metadata: {
        name: 'odd',
        namespace: 'default',
        labels,
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }],
      },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    })
    cluster.clock.advance(10)
    expect(status(cluster)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ reason: 'SyncFailed', message: 'jobs.batch does not implement the scale subresource' }],
    })
  })
})
