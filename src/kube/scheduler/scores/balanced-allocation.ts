/** Prefers nodes whose CPU and memory would be used in like parts. */
import { BEST, type Scorer } from '../scorer.ts'

const part = (capacity: number, used: number): number => (capacity === 0 ? 1 : Math.min(1, used / capacity))

export const balancedAllocation: Scorer = {
  weight: 1,
  score({ requests }, nodes) {
    // Pods that ask for nothing cannot unbalance a node.
    if ((requests.cpu ?? 0) === 0 && (requests.memory ?? 0) === 0) return undefined
    return nodes.map(({ allocatable, requested }) => {
      const cpu = part(allocatable.cpu ?? 0, (requested.cpu ?? 0) + (requests.cpu ?? 0))
      const memory = part(allocatable.memory ?? 0, (requested.memory ?? 0) + (requests.memory ?? 0))
      return Math.floor((1 - Math.abs(cpu - memory) / 2) * BEST)
    })
  },
}
