/** Tests of resetting objects on a simulated cluster. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listPending } from '#platform/engines/deploy'
import type { KubeObject } from '#platform/kube/simulated'
import { isControlPlaneTaint, type ResetReport } from '#spec'
import { createSimulatedReset, labels, template, workloadSpec } from './testing/simulated-reset.ts'

const unchanged = { deleted: [], recreated: [], updated: [] }

let simulation: ReturnType<typeof createSimulatedReset>
let reset: () => Promise<ResetReport>

beforeEach(() => {
  simulation = createSimulatedReset()
  reset = simulation.takeBaseline((error) => expect.unreachable(error.message))
})
afterEach(() => simulation.cluster.stop())

it('does nothing to an unchanged cluster', async () => {
  expect(await reset()).toMatchObject(unchanged)
})

it('removes all taints that the node controller does not manage', async () => {
  const names = ['unreachable', 'not-ready', 'unschedulable', 'out-of-service', 'maintenance']
  const pressures = ['memory', 'disk', 'pid', 'cpu'].map((resource) => `${resource}-pressure`)
  const taints = [...names, ...pressures, 'network-unavailable'].flatMap((name) =>
    ['NoSchedule', 'PreferNoSchedule'].map((effect) => ({ key: `node.kubernetes.io/${name}`, effect })),
  )
  const { client, clock, kindOf, list } = simulation
  const node = list('v1', 'Node')[0]!
  client.update(kindOf('v1', 'Node'), { ...node, spec: { ...node.spec, taints } })
  clock.advance(10_000)
  const remaining = list('v1', 'Node')[0]!.spec.taints
  expect(remaining).toEqual(taints.filter((taint) => !isControlPlaneTaint(taint)))
  expect(remaining).toContainEqual({ key: 'node.kubernetes.io/maintenance', effect: 'NoSchedule' })
  expect(listPending(client)).toEqual([])
  expect(await reset()).toMatchObject({ updated: [`Node ${node.metadata.name}`] })
  expect(list('v1', 'Node')[0]!.spec).not.toHaveProperty('taints')
})

it('deletes new objects regardless of their owner references', async () => {
  const { clock, create, list } = simulation
  const ownedBy = ({ apiVersion, kind, metadata }: KubeObject) => ({
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
  })
  const idle = list('apps/v1', 'Deployment')[0]!
  const ownedByIdle = ownedBy(idle)
  const ownedByUnknown = ownedBy({ ...idle, apiVersion: 'example.com/v1' })
  const podUids = list('v1', 'Pod').map(({ metadata }) => metadata.uid)
  create('v1', 'ConfigMap', { metadata: { name: 'note', ...ownedByIdle }, data: { for: 'the next one' } })
  create('apps/v1', 'StatefulSet', {
    metadata: { name: 'stray', ...ownedByIdle },
    spec: { ...workloadSpec('stray'), serviceName: 'stray' },
  })
  create('apps/v1', 'ReplicaSet', {
    metadata: { name: 'strange', ...ownedByUnknown },
    spec: workloadSpec('strange'),
  })
  const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }
  create('batch/v1', 'Job', { metadata: { name: 'once', ...ownedByIdle }, spec: { template: jobTemplate } })
  create('v1', 'Pod', { metadata: { name: 'lone', ...ownedByIdle }, spec: template.spec })
  clock.advance(30_000)
  const { deleted, recreated, updated } = await reset()
  expect(deleted.toSorted()).toEqual(
    ['ConfigMap small/note', 'Job small/once', 'Pod small/lone', 'ReplicaSet small/strange']
      .concat('StatefulSet small/stray')
      .toSorted(),
  )
  expect([recreated, updated]).toEqual([[], []])
  clock.advance(30_000)
  expect(list('v1', 'Pod').map(({ metadata }) => metadata.uid)).toEqual(podUids)
  expect(await reset()).toMatchObject(unchanged)
})

it('deletes a manually created ReplicaSet that was adopted', async () => {
  const { clock, create, list } = simulation
  create('apps/v1', 'ReplicaSet', {
    metadata: { name: 'note', labels, annotations: { for: 'the next one' } },
    spec: { replicas: 0, ...workloadSpec('idle') },
  })
  clock.advance(30_000)
  const adopted = list('apps/v1', 'ReplicaSet').find(({ metadata }) => metadata.name === 'note')
  expect(adopted?.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', controller: true }])
  expect(await reset()).toMatchObject({ ...unchanged, deleted: ['ReplicaSet small/note'] })
  expect(await reset()).toMatchObject(unchanged)
})
