/** Tests that a rollback reverts all changes and nothing else. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Clock } from '#kit'
import type { ApiObject, KubeApi } from '#spec'
import { rollBack } from './roll-back.ts'
import { snapshotObjects } from './snapshot-objects.ts'
import {
  configMaps,
  createShop,
  deployment,
  deployments,
  SHOP,
  services,
  shopResource,
} from './testing/shop.ts'

let api: KubeApi
let clock: Clock
let advance: (ms: number) => void
let stop: () => void

beforeEach(async () => {
  const shop = await createShop()
  ;({ api, clock, stop } = shop)
  advance = (ms) => shop.clock.advance(ms)
})
afterEach(() => stop())

const toComparable = ({ metadata, status, ...rest }: ApiObject) => ({
  ...rest,
  labels: metadata.labels,
  name: metadata.name,
})
const listComparable = async () =>
  (await Promise.all([deployments, configMaps, services].map((ref) => api.list(ref)))).flatMap(({ items }) =>
    items.map(toComparable),
  )

it('does nothing to an unchanged cluster', async () => {
  expect(await rollBack(api, await snapshotObjects(api, SHOP), clock)).toEqual([])
})

it('deletes created, recreates deleted and reverts changed objects', async () => {
  const before = await listComparable()
  const snapshot = await snapshotObjects(api, SHOP)
  await api.create(configMaps, { metadata: { name: 'new' } })
  await api.patch({ ...deployments, name: 'cart' }, 'merge', {
    metadata: { labels: { x: 'y' } },
    spec: { replicas: 0, template: { spec: { nodeSelector: { no: 'where' } } } },
  })
  await api.delete({ ...deployments, name: 'front' })
  await api.delete({ ...services, name: 'cart' })
  await api.patch({ ...configMaps, name: 'settings' }, 'merge', { data: { a: null, b: '2' } })
  const [node] = (await api.list({ apiVersion: 'v1', plural: 'nodes' })).items
  const nodeRef = { apiVersion: 'v1', plural: 'nodes', name: node!.metadata.name }
  await api.patch(nodeRef, 'merge', {
    metadata: { labels: { mine: '1' } },
    spec: { unschedulable: true, taints: [{ key: 'k', effect: 'NoSchedule' }] },
  })
  expect((await rollBack(api, snapshot, clock)).toSorted()).toEqual([
    ...['ConfigMap/new deleted', 'ConfigMap/settings reverted', 'Deployment/cart reverted'],
    ...['Deployment/front created', `Node/${node!.metadata.name} reverted`, 'Service/cart created'],
  ])
  expect(await listComparable()).toEqual(before)
  const after = await api.get(nodeRef)
  expect(after.metadata.labels).toEqual(node!.metadata.labels)
  expect((after.spec as { unschedulable?: boolean; taints?: unknown[] }).unschedulable ?? false).toBe(false)
  expect(await rollBack(api, snapshot, clock)).toEqual([])
})

it('removes taints that resemble those of the control plane', async () => {
  const snapshot = await snapshotObjects(api, SHOP)
  const [node] = (await api.list({ apiVersion: 'v1', plural: 'nodes' })).items
  const nodeRef = { apiVersion: 'v1', plural: 'nodes', name: node!.metadata.name }
  const taints = [{ key: 'node.kubernetes.io/maintenance', effect: 'NoSchedule' }]
  await api.patch(nodeRef, 'merge', { spec: { taints } })
  advance(10_000)
  expect(await rollBack(api, snapshot, clock)).toEqual([`Node/${node!.metadata.name} reverted`])
  expect((await api.get(nodeRef)).spec).not.toHaveProperty('taints')
})

it('recreates an object with a changed immutable field', async () => {
  const snapshot = await snapshotObjects(api, SHOP)
  await api.delete({ ...deployments, name: 'cart' })
  await api.create(deployments, { ...deployment('cart'), spec: { ...deployment('other').spec } })
  expect(await rollBack(api, snapshot, clock)).toEqual(['Deployment/cart reverted'])
  expect((await api.get({ ...deployments, name: 'cart' })).spec).toMatchObject({
    selector: { matchLabels: { app: 'cart' } },
  })
})

const pods = shopResource('v1', 'pods')
const claims = shopResource('v1', 'persistentvolumeclaims')
const container = { name: 'a', image: 'nginx:1.25' }
const claim = (name: string) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
})

it('reverts pods, claims and annotations', async () => {
  await api.create(claims, claim('kept'))
  await api.create(pods, {
    metadata: { name: 'alone', labels: { a: 'b' } },
    spec: { containers: [container] },
  })
  advance(10_000)
  const snapshot = await snapshotObjects(api, SHOP)
  const listNames = async (ref: typeof pods) =>
    (await api.list(ref)).items.map(({ metadata }) => metadata.name)
  const [first, second] = (await listNames(pods)).filter((name) => name !== 'alone')
  const [node] = (await api.list({ apiVersion: 'v1', plural: 'nodes' })).items
  const nodeRef = { apiVersion: 'v1', plural: 'nodes', name: node!.metadata.name }

  await api.create(pods, { metadata: { name: 'left' }, spec: { containers: [container] } })
  await api.create(claims, claim('left'))
  await api.create(shopResource('v1', 'replicationcontrollers'), {
    metadata: { name: 'left' },
    spec: {
      replicas: 1,
      selector: { r: 'c' },
      template: { metadata: { labels: { r: 'c' } }, spec: { containers: [container] } },
    },
  })
  await api.create(shopResource('v1', 'endpoints'), { metadata: { name: 'elsewhere' }, subsets: [] })
  await api.patch({ ...claims, name: 'kept' }, 'merge', { metadata: { annotations: { note: 'slow' } } })
  await api.patch({ ...pods, name: first! }, 'merge', { metadata: { labels: { app: null } } })
  await api.patch({ ...pods, name: second! }, 'merge', { metadata: { annotations: { note: '1' } } })
  await api.patch({ ...pods, name: 'alone' }, 'merge', { metadata: { labels: { a: null } } })
  await api.patch(nodeRef, 'merge', { metadata: { annotations: { x: 'y' } } })
  advance(10_000)

  const results = await rollBack(api, snapshot, clock)
  expect(results.toSorted()).toEqual(
    [
      ...['Endpoints/elsewhere deleted', `Node/${node!.metadata.name} reverted`],
      ...['PersistentVolumeClaim/kept reverted', 'PersistentVolumeClaim/left deleted'],
      ...['Pod/alone reverted', 'Pod/left deleted', `Pod/${first} deleted`, `Pod/${second} reverted`],
      'ReplicationController/left deleted',
    ].sort(),
  )
  advance(60_000)
  expect(await rollBack(api, snapshot, clock)).toEqual([])
  expect(await listNames(claims)).toEqual(['kept'])
  expect((await api.get(nodeRef)).metadata.annotations ?? {}).not.toHaveProperty('x')
  const remaining = (await api.list(pods)).items
  expect(remaining.map(({ metadata }) => (metadata.labels as Record<string, string>).app).sort()).toEqual([
    ...['cart', 'front', undefined],
  ])
  expect(remaining.find(({ metadata }) => metadata.name === 'alone')!.metadata.labels).toEqual({ a: 'b' })
})

it('removes finalizers that were added', async () => {
  const before = await listComparable()
  const withFinalizers = { metadata: { finalizers: ['example.com/mine', 'kubernetes.io/pvc-protection'] } }
  const settings = { ...configMaps, name: 'settings' }
  const cart = { ...deployments, name: 'cart' }
  await api.create(configMaps, { metadata: { name: 'earlier', finalizers: ['example.com/earlier'] } })
  await api.delete({ ...configMaps, name: 'earlier' })
  const snapshot = await snapshotObjects(api, SHOP)
  const [pod] = (await api.list(pods)).items.filter(({ metadata }) => metadata.name.startsWith('cart'))
  await api.patch({ ...pods, name: pod!.metadata.name }, 'merge', withFinalizers)
  await api.delete(cart, { propagationPolicy: 'Foreground' })
  await api.patch(settings, 'merge', withFinalizers)
  await api.delete(settings)
  await api.create(configMaps, { metadata: { name: 'new', ...withFinalizers.metadata } })
  await api.create(configMaps, { metadata: { name: 'going', ...withFinalizers.metadata } })
  await api.delete({ ...configMaps, name: 'going' })
  await api.patch({ ...services, name: 'cart' }, 'merge', withFinalizers)
  advance(60_000)

  const rollback = rollBack(api, snapshot, clock)
  for (let round = 0; round < 20; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    advance(1000)
  }
  expect((await rollback).toSorted()).toEqual(
    [
      ...[
        'ConfigMap/going cleared of added finalizers',
        'ConfigMap/new cleared of added finalizers',
        'ConfigMap/settings cleared of added finalizers',
      ],
      ...[
        `Pod/${pod!.metadata.name} cleared of added finalizers`,
        'Service/cart cleared of added finalizers',
      ],
      ...['ConfigMap/new deleted', 'ConfigMap/settings created', 'Deployment/cart created'],
    ].toSorted(),
  )
  await api.patch({ ...configMaps, name: 'earlier' }, 'merge', { metadata: { finalizers: null } })
  expect(await listComparable()).toEqual(before)
  expect((await api.get({ ...services, name: 'cart' })).metadata.finalizers ?? []).toEqual([])
})

it('continues after a failed step, and reports it', async () => {
  const snapshot = await snapshotObjects(api, SHOP)
  await api.delete({ ...configMaps, name: 'settings' })
  await api.patch({ ...deployments, name: 'cart' }, 'merge', { spec: { replicas: 0 } })
  await api.create(shopResource('v1', 'resourcequotas'), {
    metadata: { name: 'full' },
    spec: { hard: { configmaps: '0' } },
  })
  const [node] = (await api.list({ apiVersion: 'v1', plural: 'nodes' })).items
  const nodeRef = { apiVersion: 'v1', plural: 'nodes', name: node!.metadata.name }
  await api.patch(nodeRef, 'merge', { spec: { unschedulable: true } })
  advance(1000)
  const failingApi: KubeApi = {
    ...api,
    delete: async (ref, options) =>
      ref.plural === 'resourcequotas' ? Promise.reject(new Error('not this one')) : api.delete(ref, options),
  }
  expect(await rollBack(failingApi, snapshot, clock)).toEqual([
    'ResourceQuota/full not deleted: not this one',
    expect.stringMatching(/^ConfigMap\/settings not created: .*exceeded quota/),
    'Deployment/cart reverted',
    `Node/${node!.metadata.name} reverted`,
  ])
  expect(await rollBack(api, snapshot, clock)).toEqual([
    'ResourceQuota/full deleted',
    'ConfigMap/settings created',
  ])
})

it('removes owner references that were added', async () => {
  const snapshot = await snapshotObjects(api, SHOP)
  const { metadata } = await api.get({ ...configMaps, name: 'settings' })
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: metadata.uid }
  for (const ref of [
    { ...deployments, name: 'cart' },
    { ...services, name: 'cart' },
  ])
    await api.patch(ref, 'merge', { metadata: { ownerReferences: [owner] } })
  expect((await rollBack(api, snapshot, clock)).toSorted()).toEqual([
    'Deployment/cart reverted',
    'Service/cart reverted',
  ])
  await api.delete({ ...configMaps, name: 'settings' })
  advance(60_000)
  const names = (await listComparable()).map(({ name }) => name)
  expect(names).toEqual(['cart', 'front', 'kube-root-ca.crt', 'cart'])
})

it('deletes objects with forged owners, and keeps objects that controllers created', async () => {
  const cronJobs = shopResource('batch/v1', 'cronjobs')
  const jobs = shopResource('batch/v1', 'jobs')
  const jobSpec = {
    template: { spec: { restartPolicy: 'Never', containers: [{ ...container, command: ['true'] }] } },
  }
  await api.create(cronJobs, {
    metadata: { name: 'sweep' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec } },
  })
  const front = { ...deployments, name: 'front' }
  const ownedBy = async (apiVersion: string, kind: string, plural: string, name: string) => {
    const { metadata } = await api.get({ ...shopResource(apiVersion, plural), name })
    return { ownerReferences: [{ apiVersion, kind, name, uid: metadata.uid, controller: true }] }
  }
  const snapshot = await snapshotObjects(api, SHOP)
  const ownedByCart = await ownedBy('apps/v1', 'Deployment', 'deployments', 'cart')
  await api.create(configMaps, { metadata: { name: 'note', ...ownedByCart } })
  await api.create(shopResource('v1', 'secrets'), { metadata: { name: 'key', ...ownedByCart } })
  await api.create(deployments, { ...deployment('more'), metadata: { name: 'more', ...ownedByCart } })
  const [cart] = ownedByCart.ownerReferences
  await api.create(shopResource('apps/v1', 'replicasets'), {
    ...deployment('odd'),
    metadata: { name: 'odd', ownerReferences: [{ ...cart, apiVersion: 'example.com/v1', uid: 'nobody' }] },
  })
  // As `kubectl create job --from=cronjob/sweep` does.
  const ownedBySweep = await ownedBy('batch/v1', 'CronJob', 'cronjobs', 'sweep')
  const annotations = { 'cronjob.kubernetes.io/instantiate': 'manual' }
  await api.create(jobs, { metadata: { name: 'sweep-now', annotations, ...ownedBySweep }, spec: jobSpec })
  await api.patch(front, 'merge', { spec: { template: { metadata: { annotations: { again: '1' } } } } })
  advance(90_000)
  const startedJobs = (await api.list(jobs)).items.map(({ metadata }) => metadata.name)
  expect(startedJobs.filter((name) => name !== 'sweep-now')).not.toEqual([])

  expect((await rollBack(api, snapshot, clock)).toSorted()).toEqual([
    ...['ConfigMap/note deleted', 'Deployment/front reverted', 'Deployment/more deleted'],
    ...['Job/sweep-now deleted', 'ReplicaSet/odd deleted', 'Secret/key deleted'],
  ])
  const remaining = (await api.list(jobs)).items.map(({ metadata }) => metadata.name)
  expect(remaining).toEqual(startedJobs.filter((name) => name !== 'sweep-now'))
  advance(30_000)
  expect(await rollBack(api, snapshot, clock)).toEqual([])
})

it('reverts changes to service account tokens', async () => {
  const secrets = shopResource('v1', 'secrets')
  const tokenSecret = (name: string) => ({
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'default' } },
    type: 'kubernetes.io/service-account-token',
  })
  // A cluster without sockets issues no tokens.
  const data = { token: 'bWluZQ==' }
  await api.create(secrets, { ...tokenSecret('kept'), data })
  const snapshot = await snapshotObjects(api, SHOP)
  await api.delete({ ...secrets, name: 'kept' })
  await api.create(secrets, tokenSecret('taken'))
  expect(await rollBack(api, snapshot, clock)).toEqual(['Secret/taken deleted', 'Secret/kept created'])
  expect((await api.list(secrets)).items).toMatchObject([{ metadata: { name: 'kept' }, data }])
  expect(await rollBack(api, snapshot, clock)).toEqual([])
})

it('recreates a deleted object whose owner did not create it', async () => {
  const { metadata } = await api.get({ ...deployments, name: 'cart' })
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart', uid: metadata.uid }
  await api.create(configMaps, { metadata: { name: 'of-cart', ownerReferences: [owner] } })
  const snapshot = await snapshotObjects(api, SHOP)
  await api.delete({ ...configMaps, name: 'of-cart' })
  expect(await rollBack(api, snapshot, clock)).toEqual(['ConfigMap/of-cart created'])
})

it('ignores replicas that an autoscaler manages, unless scaled to or from zero', async () => {
  const autoscalers = shopResource('autoscaling/v2', 'horizontalpodautoscalers')
  const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name })
  for (const name of ['cart', 'front'])
    await api.create(autoscalers, {
      metadata: { name },
      spec: { scaleTargetRef: target(name), minReplicas: 1, maxReplicas: 5 },
    })
  const scale = (name: string, replicas: number) =>
    api.patch({ ...deployments, name }, 'merge', { spec: { replicas } })
  const replicasOf = async (name: string): Promise<unknown> =>
    ((await api.get({ ...deployments, name })).spec as { replicas?: number }).replicas
  await scale('cart', 2)
  await scale('front', 0)
  const snapshot = await snapshotObjects(api, SHOP)
  await scale('cart', 3)
  expect(await rollBack(api, snapshot, clock)).toEqual([])
  await scale('cart', 0)
  await scale('front', 1)
  expect(await rollBack(api, snapshot, clock)).toEqual([
    'Deployment/cart reverted',
    'Deployment/front reverted',
  ])
  expect([await replicasOf('cart'), await replicasOf('front')]).toEqual([2, 0])
})

it('keeps the labels of pods whose StatefulSet has elected another leader', async () => {
  const labels = { app: 'store' }
  await api.create(shopResource('apps/v1', 'statefulsets'), {
    metadata: { name: 'store' },
    spec: {
      replicas: 2,
      serviceName: 'store',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'store', image: 'nginx:1.25' }] } },
    },
  })
  advance(20_000)
  const pods = shopResource('v1', 'pods')
  const setRole = (pod: string, role: string) =>
    api.patch({ ...pods, name: pod }, 'merge', { metadata: { labels: { role } } })
  await setRole('store-0', 'leader')
  await setRole('store-1', 'follower')
  const snapshot = await snapshotObjects(api, SHOP)
  await setRole('store-1', 'odd')
  expect(await rollBack(api, snapshot, clock)).toEqual(['Pod/store-1 reverted'])
  await api.delete({ ...pods, name: 'store-0' })
  advance(60_000)
  await setRole('store-0', 'follower')
  await setRole('store-1', 'leader')
  expect(await rollBack(api, snapshot, clock)).toEqual([])
})
