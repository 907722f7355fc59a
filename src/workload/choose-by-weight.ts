/** Draws one of several, each as often as its weight says beside the others'. */
import type { Random } from '../kit/index.ts'

export const chooseByWeight = <T extends { readonly weight: number }>(
  choices: readonly T[],
  random: Random,
): T => {
  let left = random.next() * choices.reduce((sum, { weight }) => sum + weight, 0)
  for (const choice of choices) {
    left -= choice.weight
    if (left < 0) return choice
  }
  return choices.at(-1)!
}
