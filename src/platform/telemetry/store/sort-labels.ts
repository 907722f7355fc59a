/** Brings labels into the order in which they are stored: equal labels have the same text. */

export type Labels = Readonly<Record<string, string>>

export const sortLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
