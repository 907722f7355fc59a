/** The way back of objects, on a cluster whose pods are only simulated: of what anybody has named, nothing stays. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '../../../kit/index.ts'
import {
  createCluster,
  createSimulatedRuntime,
  everydayImages,
  type KubeObject,
} from '../../../kube/index.ts'
import { isControlPlaneTaint, type ResetReport } from '../../../spec/index.ts'
import { takeBaseline } from './baseline.ts'
import { pendingWork } from './readiness.ts'
import { resetCluster } from './reset-cluster.ts'
import { createTouchedPods } from './touched-pods.ts'

const NAMESPACE = 'small'
const labels = { app: 'idle' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx:1.25' }] } }
const same = { deleted: [], recreated: [], updated: [] }

let clock: ReturnType<typeof createVirtualClock>
let cluster: ReturnType<typeof createCluster>
let reset: () => Promise<ResetReport>

const kindOf = (apiVersion: string, kind: string) => cluster.resources.client.kindOf(apiVersion, kind)!
const create = (apiVersion: string, kind: string, object: object): KubeObject => {
  const draft = object as { metadata: object }
  return cluster.resources.client.create(kindOf(apiVersion, kind), {
    ...draft,
    metadata: { namespace: NAMESPACE, ...draft.metadata },
  }) as KubeObject
}
const list = (apiVersion: string, kind: string): readonly KubeObject[] =>
  cluster.resources.client.list(kindOf(apiVersion, kind)) as readonly KubeObject[]

beforeEach(() => {
  clock = createVirtualClock()
  const random = createRandom('reset')
  cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: everydayImages }),
  })
  const { client } = cluster.resources
  clock.advance(1000)
  create('v1', 'Namespace', { metadata: { name: NAMESPACE, namespace: undefined } })
  const spec = { selector: { matchLabels: labels }, template }
  create('apps/v1', 'Deployment', { metadata: { name: 'idle' }, spec })
  create('apps/v1', 'DaemonSet', { metadata: { name: 'watcher' }, spec: other('watcher') })
  create('v1', 'Service', { metadata: { name: 'idle' }, spec: { selector: labels, ports: [{ port: 80 }] } })
  clock.advance(30_000)
  const baseline = takeBaseline(client)
  reset = async () => {
    const resetting = resetCluster({
      client,
      clock,
      baseline,
      touched: createTouchedPods('nobody'),
      contents: { changed: async () => [], restore: async () => {} },
      disks: { restore: async () => [] },
      processes: { find: () => undefined, onRemoval: () => () => {} },
      healNodes: async () => {},
      registries: new Set<string>(),
      keepData: false,
      isTrusted: false,
      keepNewPods: false,
      signal: new AbortController().signal,
      onError: (error) => expect.unreachable(error.message),
    })
    let isOver = false
    resetting.then(
      () => (isOver = true),
      () => (isOver = true),
    )
    while (!isOver) {
      clock.advance(50)
      await new Promise(setImmediate)
    }
    return resetting
  }
})
afterEach(() => cluster.stop())

/** The spec of a workload that nothing else selects. */
const other = (app: string): object => ({
  selector: { matchLabels: { app } },
  template: { ...template, metadata: { labels: { app } } },
})

it('does nothing to a cluster to which nothing was done', async () => {
  expect(await reset()).toMatchObject(same)
})

it('takes off every taint that the node controller would leave, and no other', async () => {
  const names = ['unreachable', 'not-ready', 'unschedulable', 'out-of-service', 'maintenance']
  const pressures = ['memory', 'disk', 'pid', 'cpu'].map((what) => `${what}-pressure`)
  const taints = [...names, ...pressures, 'network-unavailable'].flatMap((name) =>
    ['NoSchedule', 'PreferNoSchedule'].map((effect) => ({ key: `node.kubernetes.io/${name}`, effect })),
  )
  const { client } = cluster.resources
  const node = list('v1', 'Node')[0]!
  client.update(kindOf('v1', 'Node'), { ...node, spec: { ...node.spec, taints } })
  clock.advance(10_000)
  const left = list('v1', 'Node')[0]!.spec.taints
  expect(left).toEqual(taints.filter((taint) => !isControlPlaneTaint(taint)))
  expect(left).toContainEqual({ key: 'node.kubernetes.io/maintenance', effect: 'NoSchedule' })
  expect(pendingWork(client)).toEqual([])
  expect(await reset()).toMatchObject({ updated: [`Node ${node.metadata.name}`] })
  expect(list('v1', 'Node')[0]!.spec).not.toHaveProperty('taints')
})

it('deletes what was made since, whoever is named as its owner', async () => {
  const ownedBy = ({ apiVersion, kind, metadata }: KubeObject) => ({
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
  })
  const idle = list('apps/v1', 'Deployment')[0]!
  const ofIdle = ownedBy(idle)
  const ofNobody = ownedBy({ ...idle, apiVersion: 'example.com/v1' })
  const pods = list('v1', 'Pod').map(({ metadata }) => metadata.uid)
  create('v1', 'ConfigMap', { metadata: { name: 'note', ...ofIdle }, data: { for: 'the next one' } })
  create('apps/v1', 'StatefulSet', {
    metadata: { name: 'stray', ...ofIdle },
    spec: { ...other('stray'), serviceName: 'stray' },
  })
  create('apps/v1', 'ReplicaSet', { metadata: { name: 'strange', ...ofNobody }, spec: other('strange') })
  const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }
  create('batch/v1', 'Job', { metadata: { name: 'once', ...ofIdle }, spec: { template: once } })
  create('v1', 'Pod', { metadata: { name: 'lone', ...ofIdle }, spec: template.spec })
  clock.advance(30_000)
  const { deleted, recreated, updated } = await reset()
  expect(deleted.toSorted()).toEqual(
    ['ConfigMap small/note', 'Job small/once', 'Pod small/lone', 'ReplicaSet small/strange']
      .concat('StatefulSet small/stray')
      .toSorted(),
  )
  expect([recreated, updated]).toEqual([[], []])
  clock.advance(30_000)
  expect(list('v1', 'Pod').map(({ metadata }) => metadata.uid)).toEqual(pods)
  expect(await reset()).toMatchObject(same)
})

it('deletes a ReplicaSet that was made by hand and adopted', async () => {
  create('apps/v1', 'ReplicaSet', {
    metadata: { name: 'note', labels, annotations: { for: 'the next one' } },
    spec: { replicas: 0, ...other('idle') },
  })
  clock.advance(30_000)
  const adopted = list('apps/v1', 'ReplicaSet').find(({ metadata }) => metadata.name === 'note')
  expect(adopted?.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', controller: true }])
  expect(await reset()).toMatchObject({ ...same, deleted: ['ReplicaSet small/note'] })
  expect(await reset()).toMatchObject(same)
})
