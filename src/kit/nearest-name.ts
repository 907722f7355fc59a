/** Finds what was probably meant by a mistyped name. */

/** Edit distance in which swapping two neighbouring letters counts once. */
const distance = (a: string, b: string): number => {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) best = Math.min(best, before[j - 2]! + 1)
      row.push(best)
    }
    before = above
    above = row
  }
  return above[b.length]!
}

const mayBeWrong = (name: string): number => Math.max(1, Math.ceil(name.length / 3))

/** The name closest to the given one, unless none is close: at most a third of its letters may be wrong. */
export const nearestName = (given: string, names: readonly string[]): string | undefined => {
  const ranked = names
    // So many letters at least are wrong: a very long one costs nothing.
    .filter((name) => Math.abs(name.length - given.length) <= mayBeWrong(name))
    .map((name) => ({ name, wrong: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.wrong - b.wrong)
  const best = ranked[0]
  return best !== undefined && best.wrong <= mayBeWrong(best.name) ? best.name : undefined
}
