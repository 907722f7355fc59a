/** Prefers nodes with more free CPU and memory. */
import { MAX_SCORE, type Scorer } from '../scorer.ts'

const freeScore = (capacity: number, used: number): number =>
  capacity === 0 || used > capacity ? 0 : Math.floor(((capacity - used) * MAX_SCORE) / capacity)

export const leastAllocated: Scorer = {
  weight: 1,
  score: ({ assumed }, nodes) =>
    nodes.map(({ allocatable, assumed: used }) =>
      Math.floor(
        (freeScore(allocatable.cpu ?? 0, used.cpu + assumed.cpu) +
          freeScore(allocatable.memory ?? 0, used.memory + assumed.memory)) /
          2,
      ),
    ),
}
