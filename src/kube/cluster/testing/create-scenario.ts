/** A whole cluster of modelled containers under a virtual clock, for tests that tell a story. */
import type { Deployment, DeploymentSpec } from 'kubernetes-types/apps/v1.d.ts'
import type { Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze, type VirtualClock } from '../../../kit/index.ts'
import type { KubeApi } from '../../../spec/index.ts'
import { events } from '../../kinds/index.ts'
import { ApiError, type Draft, type KubeObject, type Stored } from '../../meta/index.ts'
import type { Client, PodFaults } from '../../ports/index.ts'
import { createSimulatedRuntime, type ImageModel } from '../../runtimes/index.ts'
import { type Cluster, createCluster } from '../create-cluster.ts'
import { defaultNodes } from '../default-nodes.ts'

export interface Scenario {
  readonly clock: VirtualClock
  readonly cluster: Cluster
  readonly client: Client
  readonly admin: KubeApi
  /** Lets time pass. */
  seconds(count: number): void
  /** Lets time pass until something holds; throws when it does not within `limit` seconds. */
  until(done: () => boolean, limit?: number): void
  /** `Normal Scheduled: Successfully assigned ...` of everything told about the object, in order of time. */
  told(about: KubeObject | Stored<any>): string[]
}

export interface ScenarioOptions {
  nodes?: number
  /** By image name; those not named here run for ever. */
  images?: Readonly<Record<string, ImageModel>>
  /** Serves the objects of Chaos Mesh. */
  faults?: PodFaults
}

/** Begins a minute after the cluster did; ends with the test, which fails if anything went wrong inside. */
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
    ...(faults === undefined ? {} : { faults }),
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: (image) => images[image] ?? {} }),
    // What the API refuses is part of many stories: whoever asked tries again.
    onError(where, error) {
      if (!(error instanceof ApiError)) failures.push(new Error(where, { cause: error }))
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
    seconds: (count) => clock.advance(count * 1000),
    until(done, limit = 300) {
      if (!clock.advanceUntil(done, limit * 1000)) throw new Error(`not within ${limit} seconds: ${done}`)
    },
    told: ({ kind, metadata }) =>
      client
        .list(events, metadata.namespace ?? 'default')
        .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === metadata.name)
        .sort((a, b) => firstSeen(a) - firstSeen(b))
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
  }
}

const firstSeen = ({ firstTimestamp, eventTime }: { firstTimestamp?: string; eventTime?: string }): number =>
  Date.parse(firstTimestamp ?? eventTime ?? '')

/** A Deployment `web` of one container `c` with the image of that name. */
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

/** `Available True MinimumReplicasAvailable: Deployment has minimum availability.` */
export const conditionTexts = (object: {
  status: { conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] }
}): string[] =>
  (object.status.conditions ?? []).map(({ type, status, reason = '', message = '' }) =>
    `${type} ${status} ${reason}: ${message}`.trim(),
  )
