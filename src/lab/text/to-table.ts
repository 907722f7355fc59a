/** Aligns rows of text in columns under headings. */

export const toTable = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const all = [headings, ...rows]
  const widths = headings.map((_, index) =>
    all.reduce((widest, row) => Math.max(widest, row[index]!.length), 0),
  )
  return all
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
