/** Prefers nodes with similar utilization of CPU and memory. */
import { MAX_SCORE, type Scorer } from '../scorer.ts'

const shareOf = (capacity: number, used: number): number =>
  capacity === 0 ? 1 : Math.min(1, used / capacity)

export const balancedAllocation: Scorer = {
  weight: 1,
  score({ requests }, nodes) {
    // A pod without requests does not change the balance.
    if ((requests.cpu ?? 0) === 0 && (requests.memory ?? 0) === 0) return undefined
    return nodes.map(({ allocatable, requested }) => {
      const cpu = shareOf(allocatable.cpu ?? 0, (requested.cpu ?? 0) + (requests.cpu ?? 0))
      const memory = shareOf(allocatable.memory ?? 0, (requested.memory ?? 0) + (requests.memory ?? 0))
      return Math.floor((1 - Math.abs(cpu - memory) / 2) * MAX_SCORE)
    })
  },
}
