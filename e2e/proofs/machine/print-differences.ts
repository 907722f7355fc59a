/** Prints differences between two snapshots of the machine. */
import type { Difference } from './snapshot.ts'

/** At most `maxLines` lines for each kind of thing. */
export const printDifferences = (
  title: string,
  differences: readonly Difference[],
  maxLines: number,
): void => {
  for (const { what, more, fewer } of differences) {
    console.log(`${title}: ${what}, ${more.length} more, ${fewer.length} fewer`)
    const lines = [...more.map((line) => `  more:  ${line}`), ...fewer.map((line) => `  fewer: ${line}`)]
    for (const line of lines.slice(0, maxLines)) console.log(line)
    if (lines.length > maxLines) console.log(`  and ${lines.length - maxLines} other lines`)
  }
}
