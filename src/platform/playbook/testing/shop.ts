/** A small system on a simulated cluster: two Deployments, a Service and a ConfigMap. */
import { createRandom, createVirtualClock, type VirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime, everydayImages } from '#platform/kube'
import type { KubeApi } from '#spec'

export const SHOP = 'shop'
export const shopResource = (apiVersion: string, plural: string) => ({ apiVersion, plural, namespace: SHOP })
export const deployments = shopResource('apps/v1', 'deployments')
export const configMaps = shopResource('v1', 'configmaps')
export const services = shopResource('v1', 'services')

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
