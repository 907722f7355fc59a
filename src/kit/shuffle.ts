/** Shuffles a list. */
import type { Random } from './random.ts'

/** Returns a shuffled copy (Fisher-Yates). */
export const shuffle = <T>(items: readonly T[], random: Random): T[] => {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const swapIndex = random.below(last + 1)
    ;[shuffled[last], shuffled[swapIndex]] = [shuffled[swapIndex]!, shuffled[last]!]
  }
  return shuffled
}
