/** What was done to a cluster is taken back, and nothing else of it changes. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '../kit/index.ts'
import { createCluster, createSimulatedRuntime, everydayImages } from '../kube/index.ts'
import type { ApiObject, KubeApi } from '../spec/index.ts'
import { rollBack } from './roll-back.ts'
import { snapshotObjects } from './snapshot-objects.ts'

let api: KubeApi
let stop: () => void
const SHOP = 'shop'
const of = (apiVersion: string, plural: string) => ({ apiVersion, plural, namespace: SHOP })
const deployments = of('apps/v1', 'deployments')
const configMaps = of('v1', 'configmaps')
const services = of('v1', 'services')

const deployment = (name: string) => ({
  metadata: { name, labels: { app: name } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'nginx:1.25' }] } },
  },
})

beforeEach(async () => {
  const clock = createVirtualClock()
  const random = createRandom('roll back')
  const cluster = createCluster({
    ...{ clock, random, sockets: false },
    runtimeFor: (_, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: everydayImages }),
  })
  stop = () => cluster.stop()
  api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  clock.advance(1000)
  await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: SHOP } })
  for (const name of ['cart', 'front']) await api.create(deployments, deployment(name))
  await api.create(configMaps, { metadata: { name: 'settings' }, data: { a: '1' } })
  await api.create(services, {
    metadata: { name: 'cart' },
    spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
  })
  clock.advance(10_000)
})
afterEach(() => stop())

const said = ({ metadata, status, ...rest }: ApiObject) => ({
  ...rest,
  labels: metadata.labels,
  name: metadata.name,
})
const all = async () =>
  (await Promise.all([deployments, configMaps, services].map((ref) => api.list(ref)))).flatMap(({ items }) =>
    items.map(said),
  )

it('leaves a cluster alone to which nothing was done', async () => {
  expect(await rollBack(api, await snapshotObjects(api, SHOP))).toEqual([])
})

it('deletes what was made, makes what was deleted, puts back what was changed', async () => {
  const before = await all()
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
  expect((await rollBack(api, snapshot)).sort()).toEqual([
    ...['ConfigMap/new deleted', 'ConfigMap/settings put back', 'Deployment/cart put back'],
    ...['Deployment/front created', `Node/${node!.metadata.name} put back`, 'Service/cart created'],
  ])
  expect(await all()).toEqual(before)
  const after = await api.get(nodeRef)
  expect(after.metadata.labels).toEqual(node!.metadata.labels)
  expect((after.spec as { unschedulable?: boolean; taints?: unknown[] }).unschedulable ?? false).toBe(false)
  expect(await rollBack(api, snapshot)).toEqual([])
})

it('makes anew what cannot be changed back', async () => {
  const snapshot = await snapshotObjects(api, SHOP)
  await api.delete({ ...deployments, name: 'cart' })
  await api.create(deployments, { ...deployment('cart'), spec: { ...deployment('other').spec } })
  expect(await rollBack(api, snapshot)).toEqual(['Deployment/cart put back'])
  expect((await api.get({ ...deployments, name: 'cart' })).spec).toMatchObject({
    selector: { matchLabels: { app: 'cart' } },
  })
})
