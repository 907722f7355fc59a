/** Parses and formats lists of completion indexes: `0,2-4,7`. */

export const parseIndexes = (text: string | undefined): Set<number> => {
  const indexes = new Set<number>()
  for (const part of text === undefined || text === '' ? [] : text.split(',')) {
    const [first, last = first] = part.split('-').map(Number)
    for (let index = first!; index <= last!; index += 1) indexes.add(index)
  }
  return indexes
}

/** Writes three or more consecutive indexes as a range. */
export const formatIndexes = (indexes: ReadonlySet<number>): string => {
  const runs: [number, number][] = []
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === index - 1) run[1] = index
    else runs.push([index, index])
  }
  return runs
    .map(([first, last]) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(',')
}
