/** Filters nodes by required affinity and anti-affinity between pods, in both directions. */
import { memberOf } from '#kit'
import { type Cluster, type Filter, resolvable, unresolvable } from '../filter.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'

/** The number of matching pods in each topology domain, keyed by the label `key=value` of its nodes. */
type Domains = Map<string, number>

const domainOf = ({ node }: NodeInfo, key: string): string | undefined => {
  const value = memberOf(node.metadata.labels, key)
  return value === undefined ? undefined : `${key}=${value}`
}

const countPod = (domains: Domains, node: NodeInfo, key: string): void => {
  const domain = domainOf(node, key)
  if (domain !== undefined) domains.set(domain, (domains.get(domain) ?? 0) + 1)
}

const existingAntiAffinityDomains = ({ pod }: PodInfo, { nodes }: Cluster): Domains => {
  const domains: Domains = new Map()
  for (const node of nodes)
    for (const existing of node.withAntiAffinity)
      for (const term of existing.antiAffinity)
        if (term.matches(pod)) countPod(domains, node, term.topologyKey)
  return domains
}

const affinityDomains = ({ affinity }: PodInfo, { nodes }: Cluster): Domains => {
  const domains: Domains = new Map()
  if (affinity.length === 0) return domains
  for (const node of nodes)
    for (const existing of node.pods.values())
      if (affinity.every((term) => term.matches(existing.pod)))
        for (const { topologyKey } of affinity) countPod(domains, node, topologyKey)
  return domains
}

const antiAffinityDomains = ({ antiAffinity }: PodInfo, { nodes }: Cluster): Domains => {
  const domains: Domains = new Map()
  if (antiAffinity.length === 0) return domains
  for (const node of nodes)
    for (const existing of node.pods.values())
      for (const term of antiAffinity)
        if (term.matches(existing.pod)) countPod(domains, node, term.topologyKey)
  return domains
}

const isInDomain = (domains: Domains, node: NodeInfo, key: string): boolean => {
  const domain = domainOf(node, key)
  return domain !== undefined && domains.has(domain)
}

export const interPodAffinity: Filter = {
  name: 'InterPodAffinity',
  retriesOn: ['node', 'pod-removed', 'pod-assigned'],
  prepare(info, cluster) {
    const { pod, affinity, antiAffinity } = info
    const existingCounts = existingAntiAffinityDomains(info, cluster)
    if (affinity.length + antiAffinity.length + existingCounts.size === 0) return undefined
    const affinityCounts = affinityDomains(info, cluster)
    const antiAffinityCounts = antiAffinityDomains(info, cluster)
    // The first pod of a group with affinity to itself has no other pod to join.
    const isFirst = affinityCounts.size === 0 && affinity.every((term) => term.matches(pod))
    return (node) => {
      const isMatch = affinity.every(({ topologyKey }) =>
        isFirst ? domainOf(node, topologyKey) !== undefined : isInDomain(affinityCounts, node, topologyKey),
      )
      if (!isMatch) return unresolvable("node(s) didn't match pod affinity rules")
      if (antiAffinity.some(({ topologyKey }) => isInDomain(antiAffinityCounts, node, topologyKey)))
        return resolvable("node(s) didn't match pod anti-affinity rules")
      for (const key in node.node.metadata.labels)
        if (existingCounts.has(`${key}=${node.node.metadata.labels[key]}`))
          return resolvable("node(s) didn't satisfy existing pods anti-affinity rules")
      return undefined
    }
  },
}
