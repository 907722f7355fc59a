/** The node IPAM controller: assigns a pod CIDR, 10.244.N.0/24, to each node without one. */
import { nodes } from '#platform/kube/kinds'
import { defineController, watching } from '../define-controller.ts'

const MAX_RANGES = 256

const rangeOf = (number: number): string => `10.244.${number}.0/24`

export const nodeIpamController = defineController({
  name: 'node-ipam',
  user: 'system:serviceaccount:kube-system:node-controller',
  component: 'cidrAllocator',
  watches: [
    watching(nodes, ({ type, object }) =>
      type !== 'DELETED' && (object.spec.podCIDR ?? '') === '' ? [object.metadata.name] : [],
    ),
  ],
  reconcile(name, { client, events }) {
    const node = client.get(nodes, '', name)
    if (node === undefined || (node.spec.podCIDR ?? '') !== '') return
    const taken = new Set(client.list(nodes).flatMap(({ spec }) => spec.podCIDRs ?? [spec.podCIDR ?? '']))
    for (let number = 0; number < MAX_RANGES; number += 1) {
      const podCIDR = rangeOf(number)
      if (taken.has(podCIDR)) continue
      client.update(nodes, { ...node, spec: { ...node.spec, podCIDR, podCIDRs: [podCIDR] } })
      return
    }
    events.record(node, 'Normal', 'CIDRNotAvailable', `Node ${name} status is now: CIDRNotAvailable`)
  },
})
