import { expect, it } from 'vitest'
import type { VirtualCall } from '../api/index.ts'
import { deployments, pods } from '../kinds/index.ts'
import { createMetricsResources } from './metrics-resources.ts'
import { createScenario, webDeployment } from './testing/create-scenario.ts'

const start = () => {
  const scenario = createScenario({
    images: {
      'web:1': { present: true, run: () => ({ usage: () => ({ cpu: 0.25, memory: 64 * 2 ** 20 }) }) },
    },
  })
  const { client, cluster, until } = scenario
  client.create(deployments, webDeployment(2))
  until(() => client.get(deployments, 'default', 'web')!.status.readyReplicas === 2)
  const resources = createMetricsResources(cluster.resources, cluster.nodes)
  const ask = (plural: string, call: Partial<VirtualCall>): any =>
    resources
      .find((resource) => resource.plural === plural)!
      .serve({
        user: { username: 'admin', groups: [] },
        verb: 'list',
        namespace: '',
        name: '',
        query: new URLSearchParams(),
        body: undefined,
        ...call,
      }).object
  return { ...scenario, ask }
}

it('tells what pods use, by name, namespace and label', () => {
  const { client, ask } = start()
  const list = ask('pods', {})
  expect(list).toMatchObject({ kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1' })
  expect(list.items).toHaveLength(2)
  const [pod] = client.list(pods)
  expect(ask('pods', { verb: 'get', namespace: 'default', name: pod!.metadata.name })).toMatchObject({
    kind: 'PodMetrics',
    metadata: { name: pod!.metadata.name, namespace: 'default', labels: { app: 'web' } },
    window: '15s',
    containers: [{ name: 'c', usage: { cpu: '250000000n', memory: '65536Ki' } }],
  })
  expect(ask('pods', { namespace: 'kube-system' }).items).toEqual([])
  expect(ask('pods', { query: new URLSearchParams({ labelSelector: 'app!=web' }) }).items).toEqual([])
  expect(() => ask('pods', { verb: 'get', namespace: 'default', name: 'none' })).toThrow(
    'pods.metrics.k8s.io "default/none" not found',
  )
})

it('adds up what the pods of a node use', () => {
  const { ask } = start()
  expect(ask('nodes', {}).items.map((node: any) => [node.metadata.name, node.usage])).toEqual([
    ['node1', { cpu: '250000000n', memory: '65536Ki' }],
    ['node2', { cpu: '250000000n', memory: '65536Ki' }],
  ])
  expect(ask('nodes', { verb: 'get', name: 'node1' })).toMatchObject({ kind: 'NodeMetrics' })
  expect(
    ask('nodes', { query: new URLSearchParams({ labelSelector: 'kubernetes.io/hostname=node2' }) }).items,
  ).toHaveLength(1)
  expect(() => ask('nodes', { verb: 'get', name: 'none' })).toThrow('nodes.metrics.k8s.io "none" not found')
})
