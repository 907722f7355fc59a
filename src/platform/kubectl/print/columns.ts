/** Aligns cells in columns, as Go's tabwriter does for kubectl. */

export interface ColumnOptions {
  /** The number of spaces after the longest cell of a column. */
  readonly padding?: number
  /** The minimum width of a column, including these spaces. */
  readonly minWidth?: number
}

/** Does not pad the last cell of a row. */
export const alignColumns = (
  rows: readonly (readonly string[])[],
  { padding = 3, minWidth = 6 }: ColumnOptions = {},
): string => {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries())
      if (index < row.length - 1)
        widths[index] = Math.max(widths[index] ?? minWidth, [...cell].length + padding)
  return rows
    .map((row) => {
      const cells = row.map((cell, index) =>
        index === row.length - 1 ? cell : cell + ' '.repeat(widths[index]! - [...cell].length),
      )
      return `${cells.join('')}\n`
    })
    .join('')
}
