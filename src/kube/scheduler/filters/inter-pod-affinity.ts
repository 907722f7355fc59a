/** Required affinity and anti-affinity between pods, in both directions. */
import { memberOf } from '../../../kit/index.ts'
import { type Cluster, type Filter, resolvable, unresolvable } from '../filter.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'

/** How many pods matter in a part of the cluster, by `key=value` of its nodes. */
type Domains = Map<string, number>

const domainOf = ({ node }: NodeInfo, key: string): string | undefined => {
  const value = memberOf(node.metadata.labels, key)
  return value === undefined ? undefined : `${key}=${value}`
}

const count = (domains: Domains, node: NodeInfo, key: string): void => {
  const domain = domainOf(node, key)
  if (domain !== undefined) domains.set(domain, (domains.get(domain) ?? 0) + 1)
}

const repelledBy = ({ pod }: PodInfo, { nodes }: Cluster): Domains => {
  const domains: Domains = new Map()
  for (const node of nodes)
    for (const other of node.repelling)
      for (const term of other.antiAffinity) if (term.matches(pod)) count(domains, node, term.topologyKey)
  return domains
}

const attractedTo = ({ affinity }: PodInfo, { nodes }: Cluster): Domains => {
  const domains: Domains = new Map()
  if (affinity.length === 0) return domains
  for (const node of nodes)
    for (const other of node.pods.values())
      if (affinity.every((term) => term.matches(other.pod)))
        for (const { topologyKey } of affinity) count(domains, node, topologyKey)
  return domains
}

const avoided = ({ antiAffinity }: PodInfo, { nodes }: Cluster): Domains => {
  const domains: Domains = new Map()
  if (antiAffinity.length === 0) return domains
  for (const node of nodes)
    for (const other of node.pods.values())
      for (const term of antiAffinity) if (term.matches(other.pod)) count(domains, node, term.topologyKey)
  return domains
}

const isIn = (domains: Domains, node: NodeInfo, key: string): boolean => {
  const domain = domainOf(node, key)
  return domain !== undefined && domains.has(domain)
}

export const interPodAffinity: Filter = {
  name: 'InterPodAffinity',
  wakesOn: ['node', 'pod-removed', 'pod-assigned'],
  prepare(info, cluster) {
    const { pod, affinity, antiAffinity } = info
    const repelled = repelledBy(info, cluster)
    if (affinity.length + antiAffinity.length + repelled.size === 0) return undefined
    const wanted = attractedTo(info, cluster)
    const unwanted = avoided(info, cluster)
    // The first of a group that wants to be together has nobody to join.
    const isFirst = wanted.size === 0 && affinity.every((term) => term.matches(pod))
    return (node) => {
      const joins = affinity.every(({ topologyKey }) =>
        isFirst ? domainOf(node, topologyKey) !== undefined : isIn(wanted, node, topologyKey),
      )
      if (!joins) return unresolvable("node(s) didn't match pod affinity rules")
      if (antiAffinity.some(({ topologyKey }) => isIn(unwanted, node, topologyKey)))
        return resolvable("node(s) didn't match pod anti-affinity rules")
      for (const key in node.node.metadata.labels)
        if (repelled.has(`${key}=${node.node.metadata.labels[key]}`))
          return resolvable("node(s) didn't satisfy existing pods anti-affinity rules")
      return undefined
    }
  },
}
