/** A whole cluster with simulated containers under a virtual clock, for scenario tests. */
import type { Deployment, DeploymentSpec } from 'kubernetes-types/apps/v1.d.ts'
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze, defined, type VirtualClock } from '#kit'
import { events } from '#platform/kube/kinds'
import { ApiError, type Draft, type KubeObject, type Stored } from '#platform/kube/meta'
import type { Client, PodFaults } from '#platform/kube/ports'
import { createSimulatedRuntime, type ImageModel } from '#platform/kube/runtimes/simulated'
import type { KubeApi } from '#spec'
import type { Cluster } from '../cluster-options.ts'
import { createCluster } from '../create-cluster.ts'
import { defaultNodes } from '../default-nodes.ts'

export interface Scenario {
  readonly clock: VirtualClock
  readonly cluster: Cluster
  readonly client: Client
  readonly admin: KubeApi
  /** Advances the clock. */
  advanceSeconds(count: number): void
  /** Advances the clock until `done` returns true; throws after `limit` seconds. */
  until(done: () => boolean, limit?: number): void
  /** Returns the events of the object in order of time, such as `Normal Scheduled: Successfully assigned ...`. */
  eventsOf(object: KubeObject | Stored<any>): string[]
}

export interface ScenarioOptions {
  nodes?: number
  /** Models by image name; containers of other images run until they are stopped. */
  images?: Readonly<Record<string, ImageModel>>
  /** If set, the cluster serves Chaos Mesh objects. */
  faults?: PodFaults
}

/** Returns a cluster one minute after its start. It stops with the test; internal errors fail the test. */
export const createScenario = ({ nodes = 2, images = {}, faults }: ScenarioOptions = {}): Scenario => {
  const clock = createVirtualClock()
  const random = createRandom('scenario')
  const failures: unknown[] = []
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    nodes: defaultNodes(nodes),
    store: { seal: deepFreeze },
    ...defined({ faults }),
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: (image) => images[image] ?? {} }),
    // API errors are expected in many scenarios; the components retry.
    onError(source, error) {
      if (!(error instanceof ApiError)) failures.push(new Error(source, { cause: error }))
    },
  })
  onTestFinished(() => {
    cluster.stop()
    if (failures.length > 0) throw new AggregateError(failures, 'errors inside the cluster')
  })
  clock.advance(60_000)
  const { client } = cluster.resources
  return {
    clock,
    cluster,
    client,
    admin: cluster.apiFor({ username: 'admin', groups: ['system:masters'] }),
    advanceSeconds: (count) => clock.advance(count * 1000),
    until(done, limit = 300) {
      if (!clock.advanceUntil(done, limit * 1000)) throw new Error(`not within ${limit} seconds: ${done}`)
    },
    eventsOf: ({ kind, metadata }) =>
      client
        .list(events, metadata.namespace ?? 'default')
        .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === metadata.name)
        .sort((a, b) => firstSeen(a) - firstSeen(b))
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
  }
}

const firstSeen = ({ firstTimestamp, eventTime }: { firstTimestamp?: string; eventTime?: string }): number =>
  Date.parse(firstTimestamp ?? eventTime ?? '')

/** A Deployment `web` with one container `c` of the image `web:1`. */
export const webDeployment = (
  replicas: number,
  container: Partial<Container> = {},
  spec: Partial<DeploymentSpec> = {},
  pod: Partial<PodSpec> = {},
): Draft<Deployment> => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'web:1', ...container }], ...pod },
    },
    ...spec,
  },
})

/** Returns strings such as `Available True MinimumReplicasAvailable: Deployment has minimum availability.` */
export const conditionTexts = (object: {
  status: { conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] }
}): string[] =>
  (object.status.conditions ?? []).map(({ type, status, reason = '', message = '' }) =>
    `${type} ${status} ${reason}: ${message}`.trim(),
  )
