/** Tests the usage that metrics.k8s.io reports. */
import { expect, it } from 'vitest'
import type { VirtualCall } from '#platform/kube/api'
import { deployments, pods } from '#platform/kube/kinds'
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
  const call = (plural: string, options: Partial<VirtualCall>): any =>
    resources
      .find((resource) => resource.plural === plural)!
      .serve({
        user: { username: 'admin', groups: [] },
        verb: 'list',
        namespace: '',
        name: '',
        query: new URLSearchParams(),
        body: undefined,
        ...options,
      }).object
  return { ...scenario, call }
}

it('serves the usage of pods by name, namespace and label', () => {
  const { client, call } = start()
  const list = call('pods', {})
  expect(list).toMatchObject({ kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1' })
  expect(list.items).toHaveLength(2)
  const [pod] = client.list(pods)
  expect(call('pods', { verb: 'get', namespace: 'default', name: pod!.metadata.name })).toMatchObject({
    kind: 'PodMetrics',
    metadata: { name: pod!.metadata.name, namespace: 'default', labels: { app: 'web' } },
    window: '15s',
    containers: [{ name: 'c', usage: { cpu: '250000000n', memory: '65536Ki' } }],
  })
  expect(call('pods', { namespace: 'kube-system' }).items).toEqual([])
  expect(call('pods', { query: new URLSearchParams({ labelSelector: 'app!=web' }) }).items).toEqual([])
  expect(() => call('pods', { verb: 'get', namespace: 'default', name: 'none' })).toThrow(
    'pods.metrics.k8s.io "default/none" not found',
  )
})

it('serves the usage of nodes as the sum of their pods', () => {
  const { call } = start()
  expect(call('nodes', {}).items.map((node: any) => [node.metadata.name, node.usage])).toEqual([
    ['node1', { cpu: '250000000n', memory: '65536Ki' }],
    ['node2', { cpu: '250000000n', memory: '65536Ki' }],
  ])
  expect(call('nodes', { verb: 'get', name: 'node1' })).toMatchObject({ kind: 'NodeMetrics' })
  expect(
    call('nodes', { query: new URLSearchParams({ labelSelector: 'kubernetes.io/hostname=node2' }) }).items,
  ).toHaveLength(1)
  expect(() => call('nodes', { verb: 'get', name: 'none' })).toThrow('nodes.metrics.k8s.io "none" not found')
})
