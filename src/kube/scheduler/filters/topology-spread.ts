/** Keeps pods spread over zones or nodes where their constraints insist on it. */
import { type Filter, resolvable, unresolvable } from '../filter.ts'
import { selectedByValue, spreadOf, topologyValue } from '../topology-spread.ts'

const REASON = "node(s) didn't match pod topology spread constraints"

export const topologySpread: Filter = {
  name: 'PodTopologySpread',
  wakesOn: ['node', 'pod-removed', 'pod-assigned'],
  prepare({ pod }, { nodes }) {
    const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
      ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
    )
    if (constraints.length === 0) return undefined
    const keys = constraints.map(({ topologyKey }) => topologyKey)
    const spreads = constraints.map((constraint) => {
      const spread = spreadOf(constraint, pod)
      const found = selectedByValue(spread, keys, pod, nodes)
      const tooFew = spread.minDomains !== undefined && found.size < spread.minDomains
      const least = tooFew || found.size === 0 ? 0 : Math.min(...found.values())
      return { ...spread, found, least, own: spread.selects(pod.metadata.labels) ? 1 : 0 }
    })
    return (node) => {
      for (const { topologyKey, maxSkew, found, least, own } of spreads) {
        const value = topologyValue(node, topologyKey)
        if (value === undefined) return unresolvable(`${REASON} (missing required label)`)
        if ((found.get(value) ?? 0) + own - least > maxSkew) return resolvable(REASON)
      }
      return undefined
    }
  },
}
