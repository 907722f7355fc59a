/** Mixes a list by chance, as a deck of cards is mixed. */
import type { Random } from '../kit/index.ts'

/** The list itself stays as it is. */
export const shuffle = <T>(items: readonly T[], random: Random): T[] => {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1)
    ;[mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!]
  }
  return mixed
}
