/** Prints differences between two snapshots of the machine. */
import type { Difference } from './snapshot.ts'

/** Prints at most `maxLines` lines for each difference. */
export const printDifferences = (
  title: string,
  differences: readonly Difference[],
  maxLines: number,
): void => {
  for (const { kind, added, removed } of differences) {
    console.log(`${title}: ${kind}, ${added.length} added, ${removed.length} removed`)
    const lines = [
      ...added.map((line) => `  added:   ${line}`),
      ...removed.map((line) => `  removed: ${line}`),
    ]
    for (const line of lines.slice(0, maxLines)) console.log(line)
    if (lines.length > maxLines) console.log(`  and ${lines.length - maxLines} more lines`)
  }
}
