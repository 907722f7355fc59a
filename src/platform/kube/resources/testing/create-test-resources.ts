/** The resource layer with a virtual clock and frozen stored objects, for tests. */
import type { ConfigMap, Pod } from 'kubernetes-types/core/v1.d.ts'
import { createRandom, createVirtualClock, deepFreeze, defined, type VirtualClock } from '#kit'
import { configMaps, deployments, type Kind, pods } from '#platform/kube/kinds'
import { ApiError, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { createResources, type Resources } from '../resources.ts'

export const USER = { username: 'tester', groups: ['system:masters'] }

export interface TestResources {
  clock: VirtualClock
  resources: Resources
  client: Client
  createConfigMap(name?: string, fields?: object): Stored<ConfigMap>
  /** Creates a pod with the label `app: web`, on no node. */
  createPod(name?: string): Stored<Pod>
  createDeployment(): ReturnType<typeof createDeployment>
}

const container = { name: 'c', image: 'i' }

const createDeployment = (client: Client) =>
  client.create(deployments, {
    metadata: { name: 'd', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers: [container] } },
    },
  } as never)

/** `kinds` defaults to the built-in ones. */
export const createTestResources = (kinds?: readonly Kind[]): TestResources => {
  const clock = createVirtualClock()
  const random = createRandom('resources')
  const resources = createResources({
    clock,
    random,
    store: { seal: deepFreeze },
    ...defined({ kinds }),
  })
  const client = resources.clientFor(USER, 'tester')
  return {
    clock,
    resources,
    client,
    createConfigMap: (name = 'a', fields = {}) =>
      client.create(configMaps, { metadata: { name, namespace: 'default' }, ...fields } as never),
    createPod: (name = 'p') =>
      client.create(pods, {
        metadata: { name, namespace: 'default', labels: { app: 'web' } },
        spec: { containers: [container] },
      } as never),
    createDeployment: () => createDeployment(client),
  }
}

/** The error of a rejected write, as `code reason: message`. */
export const rejection = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.reason}: ${error.message}`
    throw error
  }
  return 'not rejected'
}
