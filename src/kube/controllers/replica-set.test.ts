/** Tests of the ReplicaSet controller: who is made, adopted, released and deleted first. */
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { limitRanges, pods, replicaSets, resourceQuotas } from '../kinds/index.ts'
import { controllerOf, forbidden, type Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { defineController } from './define-controller.ts'
import { replicaSetController } from './replica-set.ts'
import { createTestCluster, type TestCluster } from './testing/create-test-cluster.ts'

const container = { name: 'c', image: 'i' }

const start = (replicas: number, controller = replicaSetController): TestCluster => {
  const cluster = createTestCluster([controller])
  cluster.client.create(replicaSets, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [container], terminationGracePeriodSeconds: 1 },
      },
    },
  })
  return cluster
}

const web = ({ client }: TestCluster): Stored<ReplicaSet> => client.get(replicaSets, 'default', 'web')!
const scale = (cluster: TestCluster, replicas: number): void => {
  cluster.client.update(replicaSets, { ...web(cluster), spec: { ...web(cluster).spec, replicas } })
}
const living = ({ client }: TestCluster): Stored<Pod>[] =>
  client.list(pods).filter(({ metadata }) => metadata.deletionTimestamp === undefined)

describe('the number of pods', () => {
  it('is kept when one is deleted or fails', () => {
    const cluster = start(3)
    cluster.clock.advance(3000)
    const [first, second] = cluster.client.list(pods)
    cluster.client.delete(pods, 'default', first!.metadata.name)
    cluster.tell(second!, { phase: 'Failed' })
    cluster.clock.advance(3000)
    expect(web(cluster).status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    })
  })

  it('shrinks by what is worth least: unready, then cheap', () => {
    const cluster = start(4)
    cluster.clock.advance(3000)
    const [cheap, unready, ...rest] = cluster.client.list(pods)
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-5' }
    cluster.client.update(pods, { ...cheap!, metadata: { ...cheap!.metadata, annotations } })
    cluster.tell(unready!, { conditions: [{ type: 'Ready', status: 'False' }] })
    cluster.clock.advance(100)
    scale(cluster, 3)
    cluster.clock.advance(100)
    expect(living(cluster).map(({ metadata }) => metadata.name)).not.toContain(unready!.metadata.name)
    scale(cluster, 2)
    cluster.clock.advance(100)
    expect(living(cluster).map(({ metadata }) => metadata.name)).toEqual(
      rest.map(({ metadata }) => metadata.name),
    )
    expect(cluster.eventsOf('web')).toContain(`SuccessfulDelete: Deleted pod: ${unready!.metadata.name}`)
  })
})

describe('claims', () => {
  it('adopt an orphan that matches and release a pod that no longer does', () => {
    const cluster = start(1)
    cluster.clock.advance(3000)
    const [own] = cluster.client.list(pods)
    cluster.client.update(pods, { ...own!, metadata: { ...own!.metadata, labels: { app: 'debug' } } })
    cluster.clock.advance(3000)
    expect(controllerOf(cluster.client.get(pods, 'default', own!.metadata.name)!)).toBeUndefined()
    expect(web(cluster).status.replicas).toBe(1)

    cluster.client.create(pods, {
      metadata: { name: 'orphan', namespace: 'default', labels: { app: 'web' } },
      spec: { containers: [container] },
    })
    cluster.clock.advance(50)
    // The younger of two is one too many: adopted, and then deleted.
    expect(cluster.client.get(pods, 'default', 'orphan')).toBeUndefined()
    expect(web(cluster).status.replicas).toBe(1)
  })

  it('leave alone what matches in another namespace', () => {
    const cluster = start(1)
    cluster.client.create(pods, {
      metadata: { name: 'stranger', namespace: 'elsewhere', labels: { app: 'web' } },
      spec: { containers: [container] },
    })
    cluster.clock.advance(3000)
    expect(controllerOf(cluster.client.get(pods, 'elsewhere', 'stranger')!)).toBeUndefined()
  })
})

/** The controller as it fares where every creation of a pod is refused. */
const refused = (allowed: () => boolean) =>
  defineController({
    ...replicaSetController,
    reconcile(key, context) {
      const create: Client['create'] = (kind, draft) => {
        if (!allowed()) throw forbidden({ group: '', plural: 'pods' }, 'web-', 'exceeded quota: small')
        return context.client.create(kind, draft)
      }
      replicaSetController.reconcile(key, { ...context, client: { ...context.client, create } })
    },
  })

it('tells why pods cannot be made, tries one at a time, and recovers', () => {
  let allowed = false
  const cluster = start(
    5,
    refused(() => allowed),
  )
  cluster.clock.advance(3)
  const message = 'pods "web-" is forbidden: exceeded quota: small'
  expect(cluster.eventsOf('web')).toEqual([`FailedCreate: Error creating: ${message}`])
  expect(web(cluster).status.conditions).toMatchObject([
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message },
  ])
  cluster.clock.advance(1000)
  expect(cluster.errors.length).toBeGreaterThan(3)
  allowed = true
  cluster.clock.advance(10_000)
  expect(web(cluster).status).toMatchObject({ replicas: 5, readyReplicas: 5 })
  expect(web(cluster).status.conditions).toBeUndefined()
})

describe('a rule that refused pods', () => {
  const metadata = { name: 'rule', namespace: 'default' }
  const make = {
    LimitRange: ({ client }: TestCluster) =>
      client.create(limitRanges, { metadata, spec: { limits: [{ type: 'Container', max: { cpu: '1m' } }] } }),
    ResourceQuota: ({ client }: TestCluster) =>
      client.create(resourceQuotas, { metadata, spec: { hard: { pods: '0' } } }),
  }
  /** With a rule, and so long refused that the next attempt is a minute away. */
  const beginRefused = (rule: keyof typeof make) => {
    let allowed = false
    const cluster = start(
      1,
      refused(() => allowed),
    )
    make[rule](cluster)
    cluster.clock.advance(100_000)
    allowed = true
    return cluster
  }

  it.each([
    ['LimitRange', ({ client }: TestCluster) => client.delete(limitRanges, 'default', 'rule')],
    ['ResourceQuota', ({ client }: TestCluster) => client.delete(resourceQuotas, 'default', 'rule')],
  ] as const)('is not waited for when it goes: %s', (rule, remove) => {
    const cluster = beginRefused(rule)
    cluster.clock.advance(2000)
    expect(living(cluster)).toEqual([])
    remove(cluster)
    cluster.clock.advance(2000)
    expect(web(cluster).status).toMatchObject({ readyReplicas: 1 })
  })

  it('is not waited for when it allows more, and is not heard when it only counts', () => {
    const cluster = beginRefused('ResourceQuota')
    const quota = () => cluster.client.get(resourceQuotas, 'default', 'rule')!
    cluster.client.updateStatus(resourceQuotas, { ...quota(), status: { used: { pods: '0' } } })
    cluster.clock.advance(2000)
    expect(living(cluster)).toEqual([])
    cluster.client.update(resourceQuotas, { ...quota(), spec: { hard: { pods: '4' } } })
    cluster.clock.advance(2000)
    expect(living(cluster)).toHaveLength(1)
  })
})
