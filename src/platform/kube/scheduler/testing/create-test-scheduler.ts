/** A scheduler with an empty cluster and a virtual clock, for tests. */
import type { Container, NodeSpec, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { createRandom, createVirtualClock, deepFreeze } from '#kit'
import { events, namespaces, nodes, pods } from '#platform/kube/kinds'
import type { ObjectMeta } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import { createScheduler } from '../scheduler.ts'

/** `override` replaces methods of the scheduler's client, for example to inject failures. */
export const createTestScheduler = (override: (client: Client) => Partial<Client> = () => ({})) => {
  const clock = createVirtualClock()
  const random = createRandom('scheduler')
  const resources = createResources({ clock, random, store: { seal: deepFreeze } })
  const client = resources.clientFor(
    { username: 'system:kube-scheduler', groups: ['system:masters'] },
    'kube-scheduler',
  )
  client.create(namespaces, { metadata: { name: 'default' } })
  const errors: string[] = []
  createScheduler({
    client: { ...client, ...override(client) },
    clock,
    random,
    events: resources.recorderFor('default-scheduler'),
    onError: (source, error) => errors.push(`${source}: ${error}`),
  })

  const addNode = (
    name: string,
    labels: Record<string, string> = {},
    spec: NodeSpec = {},
    cpu = '2',
  ): void => {
    client.create(nodes, {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      spec,
    })
    const node = client.get(nodes, '', name)!
    const allocatable = { cpu, memory: '8Gi', pods: '110' }
    client.updateStatus(nodes, { ...node, status: { ...node.status, allocatable, capacity: allocatable } })
  }
  const container = (cpu?: string): Container => ({
    name: 'c',
    image: 'busybox',
    ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
  })
  const addPod = (
    name: string,
    spec: Partial<PodSpec> & { cpu?: string } = {},
    labels: ObjectMeta['labels'] = {},
  ) => {
    const { cpu, ...rest } = spec
    client.create(pods, {
      metadata: { name, namespace: 'default', labels },
      spec: { containers: [container(cpu)], ...rest },
    })
    clock.advance(0)
  }
  const pod = (name: string) => client.get(pods, 'default', name)!
  return {
    client,
    clock,
    errors,
    addNode,
    addPod,
    pod,
    nodeOf: (name: string) => pod(name).spec.nodeName,
    reasonFor: (name: string) =>
      pod(name).status.conditions?.find(({ type }) => type === 'PodScheduled')?.message,
    eventsOf: (name: string) =>
      client
        .list(events, 'default')
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, message, count }) => `${reason} ${message}${(count ?? 1) > 1 ? ` (x${count})` : ''}`),
  }
}
