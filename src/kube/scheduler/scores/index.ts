/** All scores with their weights, as the default profile has them. */
import type { Scorer } from '../scorer.ts'
import { balancedAllocation } from './balanced-allocation.ts'
import { evenSpread } from './even-spread.ts'
import { leastAllocated } from './least-allocated.ts'
import { preferredNodes } from './preferred-nodes.ts'
import { preferredPods } from './preferred-pods.ts'
import { preferredTaints } from './preferred-taints.ts'

export const scorers: readonly Scorer[] = [
  preferredTaints,
  preferredNodes,
  evenSpread,
  preferredPods,
  leastAllocated,
  balancedAllocation,
]
