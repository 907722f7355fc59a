/** Builds the table of custom resources from the printer columns of their definition. */
import type { CustomResourceColumnDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import { defined } from '#kit'
import { ageColumn, type Cell, type Column, nameColumn, type PrintContext } from '#platform/kube/kinds'
import { fromTime, humanDuration, type KubeObject } from '#platform/kube/meta'
import { type JsonPath, parseJsonPath } from './json-path.ts'

const AGE: CustomResourceColumnDefinition = {
  name: ageColumn.name,
  type: 'date',
  description: ageColumn.description,
  jsonPath: '.metadata.creationTimestamp',
}

const toColumn = (column: CustomResourceColumnDefinition): Column => ({
  name: column.name,
  type: column.type as Column['type'],
  ...defined({ format: column.format }),
  description:
    column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
  priority: (column.priority ?? 0) as Column['priority'],
})

const dateCell = (value: unknown, now: number): Cell => {
  if (typeof value !== 'string') return '<unknown>'
  const time = fromTime(value)
  return Number.isNaN(time) ? '<invalid>' : humanDuration(now - time)
}

/** A value whose type differs from the column's prints as empty, as on a real server. */
const toCell = (value: unknown, type: string, now: number): Cell => {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return dateCell(value, now)
    default:
      return typeof value === 'string' ? value : JSON.stringify(value)
  }
}

/** The server accepts definitions with invalid paths; their columns stay empty. */
const readPath = (text: string): JsonPath => {
  try {
    return parseJsonPath(text)
  } catch {
    return () => []
  }
}

/** The first column is the name. The columns of the definition follow, or the age if it has none. */
export const customTable = (definitions: readonly CustomResourceColumnDefinition[] | undefined) => {
  const columns = definitions === undefined || definitions.length === 0 ? [AGE] : definitions
  const cells = columns.map(({ jsonPath, type }) => ({ path: readPath(jsonPath), type }))
  return {
    columns: [nameColumn, ...columns.map(toColumn)],
    row: (object: KubeObject, { now }: PrintContext): Cell[] => [
      object.metadata.name,
      ...cells.map(({ path, type }) => {
        const value = path(object)[0]
        return value === undefined ? null : toCell(value, type, now)
      }),
    ],
  }
}
