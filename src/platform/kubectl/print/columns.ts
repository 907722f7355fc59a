/** Aligns cells in columns, as Go's tabwriter does for kubectl: three blanks between columns, none after the last. */

export const alignColumns = (rows: readonly (readonly string[])[], padding = 3): string => {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries())
      if (index < row.length - 1) widths[index] = Math.max(widths[index] ?? 0, [...cell].length + padding)
  return rows
    .map((row) => {
      const cells = row.map((cell, index) =>
        index === row.length - 1 ? cell : cell + ' '.repeat(Math.max(0, widths[index]! - [...cell].length)),
      )
      return `${cells.join('')}\n`
    })
    .join('')
}
