/** The default nodes of a cluster. */
import type { NodeFacts } from '#platform/kube/node'

const CAPACITY = { cpu: '8', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' }

export const defaultNodes = (count = 3): (NodeFacts & { podCIDR: string })[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `node${index + 1}`,
    hostIP: `172.18.0.${index + 2}`,
    podCIDR: `10.244.${index}.0/24`,
    capacity: CAPACITY,
  }))
