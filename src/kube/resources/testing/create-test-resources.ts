/** The write path under a virtual clock, with everything it stores frozen, for tests. */
import type { ConfigMap, Pod } from 'kubernetes-types/core/v1.d.ts'
import { createRandom, createVirtualClock, deepFreeze, type VirtualClock } from '../../../kit/index.ts'
import { configMaps, deployments, type Kind, pods } from '../../kinds/index.ts'
import { ApiError, type Stored } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'
import { createResources, type Resources } from '../resources.ts'

export const USER = { username: 'tester', groups: ['system:masters'] }

export interface TestResources {
  clock: VirtualClock
  resources: Resources
  client: Client
  configMap(name?: string, fields?: object): Stored<ConfigMap>
  /** With the label `app: web`, on no node. */
  pod(name?: string): Stored<Pod>
  deployment(): ReturnType<typeof makeDeployment>
}

const container = { name: 'c', image: 'i' }

const makeDeployment = (client: Client) =>
  client.create(deployments, {
    metadata: { name: 'd', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers: [container] } },
    },
  } as never)

/** With the built-in kinds, or with those given. */
export const createTestResources = (kinds?: readonly Kind[]): TestResources => {
  const clock = createVirtualClock()
  const random = createRandom('resources')
  const resources = createResources({
    clock,
    random,
    store: { seal: deepFreeze },
    ...(kinds === undefined ? {} : { kinds }),
  })
  const client = resources.clientFor(USER, 'tester')
  return {
    clock,
    resources,
    client,
    configMap: (name = 'a', fields = {}) =>
      client.create(configMaps, { metadata: { name, namespace: 'default' }, ...fields } as never),
    pod: (name = 'p') =>
      client.create(pods, {
        metadata: { name, namespace: 'default', labels: { app: 'web' } },
        spec: { containers: [container] },
      } as never),
    deployment: () => makeDeployment(client),
  }
}

/** What a refused write was told, as `code reason: message`. */
export const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.reason}: ${error.message}`
    throw error
  }
  return 'not refused'
}
