/** The tables of custom resources, from the printer columns of their definition. */
import type { CustomResourceColumnDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Cell, Column, PrintContext } from '../kinds/index.ts'
import { fromTime, humanDuration, type KubeObject } from '../meta/index.ts'
import { type JsonPath, parseJsonPath } from './json-path.ts'

const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object.',
  priority: 0,
}

const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'Time since the object was created.',
  jsonPath: '.metadata.creationTimestamp',
}

const toColumn = (column: CustomResourceColumnDefinition): Column => ({
  name: column.name,
  type: column.type as Column['type'],
  ...(column.format === undefined ? {} : { format: column.format }),
  description:
    column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
  priority: (column.priority ?? 0) as Column['priority'],
})

const dateCell = (value: unknown, now: number): Cell => {
  if (typeof value !== 'string') return '<unknown>'
  const time = fromTime(value)
  return Number.isNaN(time) ? '<invalid>' : humanDuration(now - time)
}

/** A value that is not of the column's type shows as nothing, as it does on a real server. */
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

/** Definitions are accepted with paths that cannot be read; their column stays empty. */
const readPath = (text: string): JsonPath => {
  try {
    return parseJsonPath(text)
  } catch {
    return () => []
  }
}

/** Name first, then the columns of the definition, or the age where it has none. */
export const customTable = (definitions: readonly CustomResourceColumnDefinition[] | undefined) => {
  const shown = definitions === undefined || definitions.length === 0 ? [AGE] : definitions
  const cells = shown.map(({ jsonPath, type }) => ({ path: readPath(jsonPath), type }))
  return {
    columns: [NAME, ...shown.map(toColumn)],
    row: (object: KubeObject, { now }: PrintContext): Cell[] => [
      object.metadata.name,
      ...cells.map(({ path, type }) => {
        const value = path(object)[0]
        return value === undefined ? null : toCell(value, type, now)
      }),
    ],
  }
}
