/** Prefers nodes with much left of their CPU and memory. */
import { BEST, type Scorer } from '../scorer.ts'

const free = (capacity: number, used: number): number =>
  capacity === 0 || used > capacity ? 0 : Math.floor(((capacity - used) * BEST) / capacity)

export const leastAllocated: Scorer = {
  weight: 1,
  score: ({ assumed }, nodes) =>
    nodes.map(({ allocatable, assumed: used }) =>
      Math.floor(
        (free(allocatable.cpu ?? 0, used.cpu + assumed.cpu) +
          free(allocatable.memory ?? 0, used.memory + assumed.memory)) /
          2,
      ),
    ),
}
