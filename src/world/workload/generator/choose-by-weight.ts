/** Draws one item with a probability proportional to its weight. */
import type { Random } from '#kit'

export const chooseByWeight = <T extends { readonly weight: number }>(
  choices: readonly T[],
  random: Random,
): T => {
  let remaining = random.next() * choices.reduce((sum, { weight }) => sum + weight, 0)
  for (const choice of choices) {
    remaining -= choice.weight
    if (remaining < 0) return choice
  }
  return choices.at(-1)!
}
