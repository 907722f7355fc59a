/** Finds what was probably meant by a mistyped name. */

/** Edit distance in which swapping two neighbouring letters counts once. */
const distance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const above = rows[i - 1]!
      const same = a[i - 1] === b[j - 1]
      let best = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) best = Math.min(best, rows[i - 2]![j - 2]! + 1)
      row.push(best)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

/** The name closest to the given one, unless none is close: at most a third of its letters may be wrong. */
export const nearestName = (given: string, names: readonly string[]): string | undefined => {
  const ranked = names
    .map((name) => ({ name, wrong: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.wrong - b.wrong)
  const best = ranked[0]
  return best !== undefined && best.wrong <= Math.max(1, Math.ceil(best.name.length / 3))
    ? best.name
    : undefined
}
