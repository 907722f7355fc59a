/** Filters out nodes without enough free resources, including the number of pods. */
import { type Filter, resolvable } from '../filter.ts'

export const nodeResources: Filter = {
  name: 'NodeResourcesFit',
  retriesOn: ['node', 'pod-removed'],
  prepare({ requests }) {
    const podRequests = Object.entries(requests).filter(([, amount]) => amount > 0)
    return ({ pods, allocatable, requested }) => {
      const reasons: string[] = []
      if (pods.size + 1 > (allocatable.pods ?? 0)) reasons.push('Too many pods')
      for (const [name, amount] of podRequests)
        if (amount > (allocatable[name] ?? 0) - (requested[name] ?? 0)) reasons.push(`Insufficient ${name}`)
      return reasons.length === 0 ? undefined : resolvable(...reasons)
    }
  },
}
