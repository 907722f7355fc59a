/** Filters nodes by topology spread constraints with DoNotSchedule. */
import { type Filter, resolvable, unresolvable } from '../filter.ts'
import { countSelectedByValue, spreadOf, topologyValue } from '../topology-spread.ts'

const REASON = "node(s) didn't match pod topology spread constraints"

export const topologySpread: Filter = {
  name: 'PodTopologySpread',
  retriesOn: ['node', 'pod-removed', 'pod-assigned'],
  prepare({ pod }, { nodes }) {
    const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
      ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
    )
    if (constraints.length === 0) return undefined
    const keys = constraints.map(({ topologyKey }) => topologyKey)
    const spreads = constraints.map((constraint) => {
      const spread = spreadOf(constraint, pod)
      const podCounts = countSelectedByValue(spread, keys, pod, nodes)
      const hasTooFewDomains = spread.minDomains !== undefined && podCounts.size < spread.minDomains
      const min = hasTooFewDomains || podCounts.size === 0 ? 0 : Math.min(...podCounts.values())
      return { ...spread, podCounts, min, ownCount: spread.selects(pod.metadata.labels) ? 1 : 0 }
    })
    return (node) => {
      for (const { topologyKey, maxSkew, podCounts, min, ownCount } of spreads) {
        const value = topologyValue(node, topologyKey)
        if (value === undefined) return unresolvable(`${REASON} (missing required label)`)
        if ((podCounts.get(value) ?? 0) + ownCount - min > maxSkew) return resolvable(REASON)
      }
      return undefined
    }
  },
}
