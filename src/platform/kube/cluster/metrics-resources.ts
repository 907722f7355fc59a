/** The API group metrics.k8s.io: the current usage of pods and nodes, for `kubectl top`. */
import type { Node, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { VirtualCall, VirtualResource } from '#platform/kube/api'
import { nodes, pods } from '#platform/kube/kinds'
import { type Labels, notFound, parseLabelSelector, type Stored } from '#platform/kube/meta'
import { nodeMetrics, podMetrics } from '#platform/kube/node'
import type { NodeDirectory } from '#platform/kube/ports'
import type { Core } from '#platform/kube/resources'

const GROUP = 'metrics.k8s.io'

const selectorOf = (call: VirtualCall): ((labels: Labels) => boolean) => {
  const text = call.query.get('labelSelector')
  return text ? parseLabelSelector(text) : () => true
}

const listOf = (kind: string, items: readonly object[]): Record<string, unknown> => ({
  kind,
  apiVersion: `${GROUP}/v1beta1`,
  metadata: {},
  items,
})

export const createMetricsResources = (core: Core, directory: NodeDirectory): VirtualResource[] => {
  const metricsOfPod = (pod: Stored<Pod>) => podMetrics(directory, pod, core.clock.now())
  const metricsOfNode = (node: Stored<Node>) => {
    const podsOnNode = core.client.list(pods).filter((pod) => pod.spec.nodeName === node.metadata.name)
    return nodeMetrics(directory, node, podsOnNode, core.clock.now())
  }

  const servePods: VirtualResource['serve'] = (call) => {
    if (call.verb === 'get') {
      const pod = core.client.get(pods, call.namespace, call.name)
      const metrics = pod && metricsOfPod(pod)
      if (metrics === undefined)
        throw notFound({ group: GROUP, plural: 'pods' }, `${call.namespace}/${call.name}`)
      return { code: 200, object: { ...metrics } }
    }
    const matches = selectorOf(call)
    const items = core.client
      .list(pods, call.namespace === '' ? undefined : call.namespace)
      .filter((pod) => matches(pod.metadata.labels))
      .flatMap((pod) => metricsOfPod(pod) ?? [])
    return { code: 200, object: listOf('PodMetricsList', items) }
  }

  const serveNodes: VirtualResource['serve'] = (call) => {
    if (call.verb === 'get') {
      const node = core.client.get(nodes, '', call.name)
      if (node === undefined) throw notFound({ group: GROUP, plural: 'nodes' }, call.name)
      return { code: 200, object: { ...metricsOfNode(node) } }
    }
    const matches = selectorOf(call)
    const items = core.client
      .list(nodes)
      .filter((node) => matches(node.metadata.labels))
      .map(metricsOfNode)
    return { code: 200, object: listOf('NodeMetricsList', items) }
  }

  const common = { group: GROUP, version: 'v1beta1', singular: '', verbs: ['get', 'list'] as const }
  return [
    { ...common, plural: 'pods', kind: 'PodMetrics', namespaced: true, serve: servePods },
    { ...common, plural: 'nodes', kind: 'NodeMetrics', namespaced: false, serve: serveNodes },
  ]
}
