/** A scheduler over an empty cluster, under a virtual clock. */
import type { Container, NodeSpec, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { createRandom, createVirtualClock, deepFreeze } from '../../../kit/index.ts'
import { events, namespaces, nodes, pods } from '../../kinds/index.ts'
import type { ObjectMeta } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'
import { createResources } from '../../resources/index.ts'
import { createScheduler } from '../scheduler.ts'

/** `disturb`: what of the API the scheduler sees otherwise than the test does. */
export const createTestScheduler = (disturb: (client: Client) => Partial<Client> = () => ({})) => {
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
    client: { ...client, ...disturb(client) },
    clock,
    random,
    events: resources.recorderFor('default-scheduler'),
    onError: (where, error) => errors.push(`${where}: ${error}`),
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
