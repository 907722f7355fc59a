/** Chooses targets at random by the mode of a selection. */
import type { Random } from '#kit'
import type { PodChoice } from './chaos-object.ts'

const countOf = ({ mode, value = '0' }: PodChoice, total: number, random: Random): number => {
  const number = Number(value)
  switch (mode) {
    case 'one':
      return Math.min(1, total)
    case 'all':
      return total
    case 'fixed':
      return Math.min(number, total)
    case 'fixed-percent':
      return Math.floor((total * number) / 100)
    case 'random-max-percent':
      return Math.floor((total * random.below(number + 1)) / 100)
  }
}

/** Chooses some of the candidates, and keeps their order. */
export const chooseByMode = <T>(
  candidates: readonly T[],
  choice: PodChoice,
  random: Random,
): readonly T[] => {
  const count = countOf(choice, candidates.length, random)
  if (count >= candidates.length) return candidates
  const remaining = candidates.map((_, index) => index)
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(remaining.splice(random.below(remaining.length), 1)[0]!)
  return candidates.filter((_, index) => chosen.has(index))
}
