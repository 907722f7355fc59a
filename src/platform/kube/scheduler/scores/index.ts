/** All scorers with the weights of the default profile. */
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
