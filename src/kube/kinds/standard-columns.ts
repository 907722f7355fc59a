/** Building blocks of the tables that `kubectl get` prints: the columns nearly every kind has, and its cells. */
import { ageOf, type Stored } from '../meta/index.ts'
import type { Cell, Column, PrintContext } from './define-kind.ts'

/** A column of text that is always shown. */
export const textColumn = (name: string, description: string): Column => ({
  name,
  type: 'string',
  description,
  priority: 0,
})

/** A column of text that only `-o wide` shows. */
export const wideColumn = (name: string, description: string): Column => ({
  ...textColumn(name, description),
  priority: 1,
})

export const nameColumn: Column = { ...textColumn('Name', 'Name of the object.'), format: 'name' }

export const ageColumn: Column = textColumn('Age', 'Time since the object was created.')

export const ageCell = (object: Stored<unknown>, { now }: PrintContext): string =>
  ageOf(object.metadata.creationTimestamp, now)

/** The table of kinds without one of their own. */
export const plainTable = {
  columns: [
    nameColumn,
    { ...textColumn('Created At', 'When the object was created.'), type: 'date' },
  ] satisfies Column[],
  row: (object: Stored<unknown>): Cell[] => [object.metadata.name, object.metadata.creationTimestamp],
}

/** `a=1,b=2`, or `<none>`: how tables show labels and selectors. */
export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string => {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',')
}
