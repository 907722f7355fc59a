/** Chooses targets at random by the mode of a selection. */
import type { Random } from '#kit'
import type { PodChoice } from './chaos-object.ts'

const countOf = ({ mode, value = '0' }: PodChoice, found: number, random: Random): number => {
  const number = Number(value)
  switch (mode) {
    case 'one':
      return Math.min(1, found)
    case 'all':
      return found
    case 'fixed':
      return Math.min(number, found)
    case 'fixed-percent':
      return Math.floor((found * number) / 100)
    case 'random-max-percent':
      return Math.floor((found * random.below(number + 1)) / 100)
  }
}

/** Keeps the order of the candidates. */
export const chooseByMode = <T>(found: readonly T[], choice: PodChoice, random: Random): readonly T[] => {
  const count = countOf(choice, found.length, random)
  if (count >= found.length) return found
  const left = found.map((_, index) => index)
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(left.splice(random.below(left.length), 1)[0]!)
  return found.filter((_, index) => chosen.has(index))
}
