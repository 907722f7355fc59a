/** A small system on a cluster whose pods are only simulated: two Deployments, a Service and settings. */
import { createRandom, createVirtualClock, type VirtualClock } from '../../kit/index.ts'
import { createCluster, createSimulatedRuntime, everydayImages } from '../../kube/index.ts'
import type { KubeApi } from '../../spec/index.ts'

export const SHOP = 'shop'
export const of = (apiVersion: string, plural: string) => ({ apiVersion, plural, namespace: SHOP })
export const deployments = of('apps/v1', 'deployments')
export const configMaps = of('v1', 'configmaps')
export const services = of('v1', 'services')

export const deployment = (name: string) => ({
  metadata: { name, labels: { app: name } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'nginx:1.25' }] } },
  },
})

export interface Shop {
  readonly api: KubeApi
  readonly clock: VirtualClock
  stop(): void
}

export const createShop = async (): Promise<Shop> => {
  const clock = createVirtualClock()
  const random = createRandom('roll back')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: everydayImages }),
  })
  const api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  clock.advance(1000)
  await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: SHOP } })
  for (const name of ['cart', 'front']) await api.create(deployments, deployment(name))
  await api.create(configMaps, { metadata: { name: 'settings' }, data: { a: '1' } })
  await api.create(services, {
    metadata: { name: 'cart' },
    spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] },
  })
  clock.advance(10_000)
  return { api, clock, stop: () => cluster.stop() }
}
