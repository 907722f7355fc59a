/** Holds a node's pods to what it can give: CPU, memory, storage, their number, and anything else counted. */
import { type Filter, resolvable } from '../filter.ts'

export const nodeResources: Filter = {
  name: 'NodeResourcesFit',
  wakesOn: ['node', 'pod-removed'],
  prepare({ requests }) {
    const wanted = Object.entries(requests).filter(([, amount]) => amount > 0)
    return ({ pods, allocatable, requested }) => {
      const reasons: string[] = []
      if (pods.size + 1 > (allocatable.pods ?? 0)) reasons.push('Too many pods')
      for (const [name, amount] of wanted)
        if (amount > (allocatable[name] ?? 0) - (requested[name] ?? 0)) reasons.push(`Insufficient ${name}`)
      return reasons.length === 0 ? undefined : resolvable(...reasons)
    }
  },
}
