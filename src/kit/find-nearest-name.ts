/** Finds the existing name that is most similar to a mistyped one. */

/** The edit distance, in which a swap of two neighbouring characters counts as one edit. */
const editDistance = (a: string, b: string): number => {
  let rowBeforeLast: number[] = []
  let lastRow = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min(lastRow[j]! + 1, row[j - 1]! + 1, lastRow[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) best = Math.min(best, rowBeforeLast[j - 2]! + 1)
      row.push(best)
    }
    rowBeforeLast = lastRow
    lastRow = row
  }
  return lastRow[b.length]!
}

const maxDistance = (name: string): number => Math.max(1, Math.ceil(name.length / 3))

/** Returns the closest name, ignoring case; undefined if it takes more edits than a third of its length, rounded up. */
export const findNearestName = (typed: string, names: readonly string[]): string | undefined => {
  const ranked = names
    // The difference in length is a lower bound on the distance, and is cheap to compute for a very long name.
    .filter((name) => Math.abs(name.length - typed.length) <= maxDistance(name))
    .map((name) => ({ name, edits: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best !== undefined && best.edits <= maxDistance(best.name) ? best.name : undefined
}
