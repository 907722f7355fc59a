/** Finds the cycles of a directed graph. */

/** Returns one path for every cycle that a depth-first search finds, with the first node repeated at the end. */
export const findCycles = (graph: ReadonlyMap<string, readonly string[]>): string[][] => {
  const cycles: string[][] = []
  const finished = new Set<string>()
  const path: string[] = []
  const visit = (node: string): void => {
    const start = path.indexOf(node)
    if (start !== -1) {
      cycles.push([...path.slice(start), node])
      return
    }
    if (finished.has(node)) return
    path.push(node)
    for (const next of graph.get(node) ?? []) visit(next)
    path.pop()
    finished.add(node)
  }
  for (const node of [...graph.keys()].sort()) visit(node)
  return cycles
}
