/** Creates one node with a kubelet and simulated containers, under a virtual clock. */
import type { Event, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { createRandom, createVirtualClock, deepFreeze, type VirtualClock } from '#kit'
import { configMaps, events, namespaces, pods } from '#platform/kube/kinds'
import type { ObjectMeta, Stored } from '#platform/kube/meta'
import type { Client, ContainerRuntime } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import { createSimulatedRuntime, type ImageModel } from '#platform/kube/runtimes/simulated'
import { createKubelet, type Kubelet, type KubeletOptions } from '../kubelet.ts'

export interface TestNode {
  client: Client
  clock: VirtualClock
  kubelet: Kubelet
  runtime: ContainerRuntime
  /** The errors that the kubelet reported. */
  errors: string[]
  /** Creates a pod that is already bound to the node. */
  run(name: string, spec: Partial<PodSpec>, metadata?: Partial<ObjectMeta>): void
  pod(name: string): Stored<Pod>
  /** Events such as `Normal Started Started container c (x2)`, in order of first occurrence. */
  eventsOf(name: string): string[]
  /** The statuses of the pod so far: the one at its creation, then one for each write. */
  writesOf(name: string): Stored<Pod>['status'][]
}

const eventText = ({ type, reason, message, count }: Stored<Event>): string =>
  `${type} ${reason} ${message}${(count ?? 1) > 1 ? ` (x${count})` : ''}`

/** Replacements for parts of the client and the runtime, and options of the kubelet. */
export interface TestNodeOverrides {
  client?(client: Client): Partial<Client>
  runtime?(runtime: ContainerRuntime): Partial<ContainerRuntime>
  options?: Pick<KubeletOptions, 'tokens' | 'diskCheckMs' | 'storageAllowance'>
}

export const createTestNode = (
  images: Readonly<Record<string, ImageModel>> = {},
  overrides: TestNodeOverrides = {},
): TestNode => {
  const clock = createVirtualClock(Date.UTC(2026, 10, 15))
  const random = createRandom('node')
  const resources = createResources({ clock, random, store: { seal: deepFreeze } })
  const client = resources.clientFor({ username: 'system:node:node1', groups: ['system:nodes'] }, 'kubelet')
  for (const name of ['default', 'kube-node-lease']) client.create(namespaces, { metadata: { name } })
  client.create(configMaps, {
    metadata: { name: 'kube-root-ca.crt', namespace: 'default' },
    data: { 'ca.crt': 'certificate' },
  })
  const writes = new Map<string, Stored<Pod>['status'][]>()
  client.watch(pods, ({ object }) => {
    const { name } = object.metadata
    writes.set(name, [...(writes.get(name) ?? []), object.status])
  })
  const catalogue = (image: string): ImageModel | undefined =>
    image in images ? images[image] : image.startsWith('missing') ? undefined : { present: true }
  const runtime = createSimulatedRuntime({ clock, random, nodeIndex: 0, images: catalogue })
  const errors: string[] = []
  const kubelet = createKubelet({
    node: {
      name: 'node1',
      hostIP: '10.244.0.1',
      podCIDR: '10.244.0.0/24',
      capacity: { cpu: '2', memory: '24682416Ki', pods: '110' },
    },
    client: { ...client, ...overrides.client?.(client) },
    clock,
    random,
    events: resources.recorderFor('kubelet', 'node1'),
    runtime: { ...runtime, ...overrides.runtime?.(runtime) },
    ...overrides.options,
    onError: (source, error) => errors.push(`${source}: ${error}`),
  })
  return {
    client,
    clock,
    kubelet,
    runtime,
    errors,
    run(name, spec, metadata) {
      client.create(pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default', ...metadata },
        spec: { containers: [{ name: 'c', image: 'busybox:local' }], nodeName: 'node1', ...spec },
      })
    },
    pod: (name) => client.get(pods, 'default', name)!,
    eventsOf: (name) =>
      client
        .list(events, 'default')
        .filter(({ involvedObject }) => involvedObject.name === name)
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        .map((event) => eventText(event as Stored<Event>)),
    writesOf: (name) => writes.get(name) ?? [],
  }
}
