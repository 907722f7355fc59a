/** The entries that a service inserts into a store at its start, as its behaviour declares them. */
import type { Behaviour, QueryStep } from '#spec'
import { createExpressions } from '#world/expressions'

export type Entry = Readonly<Record<string, unknown>>

const INSERT = /^\s*INSERT\s+(?:IGNORE\s+)?INTO\s+(\w+)\s*\(([^)]*)\)\s*VALUES\s*\((.*)\)\s*$/is
const GENERATED = /\b(uuid|now|random)\(/

/** Generated values are constant here, because comparisons leave them out. */
const { compileExpression } = createExpressions({ random: () => 0, now: () => 0, uuid: () => '' })
const evaluate = (source: unknown, scope: Entry = {}): unknown =>
  compileExpression(String(source), 'start')(scope)

interface Insertion {
  readonly step: QueryStep
  readonly columns: readonly string[]
  /** The expression of each column. */
  readonly sources: readonly string[]
}

/** Splits the text between the parentheses after VALUES. Literals of SQL are also literals of CEL. */
const toSources = ({ with: parameters = [] }: QueryStep, values: string): readonly string[] => {
  let used = 0
  return (values.match(/'[^']*'|[^',]+/g) ?? [])
    .map((source) => source.trim())
    .filter((source) => source !== '')
    .map((source) => {
      if (source !== '?') return source
      used += 1
      return String(parameters[used - 1])
    })
}

const insertionsOf = ({ start = [] }: Behaviour, table: string): readonly Insertion[] =>
  start.flatMap((step) => {
    if (!('query' in step)) return []
    const [, name, columns = '', values = ''] = INSERT.exec(step.sql ?? '') ?? []
    if (name !== table) return []
    return [
      { step, columns: columns.split(',').map((column) => column.trim()), sources: toSources(step, values) },
    ]
  })

/** Columns of a table to which the service writes a different value at each start. */
export const generatedColumns = (behaviour: Behaviour, table: string): readonly string[] =>
  insertionsOf(behaviour, table).flatMap(({ columns, sources }) =>
    columns.filter((_, index) => GENERATED.test(sources[index] ?? '')),
  )

const toRows = ({ step, columns, sources }: Insertion): readonly Entry[] => {
  const items = step.each === undefined ? [undefined] : (evaluate(step.each) as readonly unknown[])
  return items.map((it, index) =>
    Object.fromEntries(
      columns.map((column, columnIndex) => [column, evaluate(sources[columnIndex], { it, index })]),
    ),
  )
}

/** The rows that the service inserts into a MySQL table. */
export const seededRows = (behaviour: Behaviour, table: string): readonly Entry[] =>
  insertionsOf(behaviour, table).flatMap(toRows)

/** The documents that the service inserts into a MongoDB collection. */
export const seededDocuments = ({ start = [] }: Behaviour, collection: string): readonly Entry[] =>
  start.flatMap((step) => {
    if (!('query' in step) || step.mongo?.includes(`"insert": "${collection}"`) !== true) return []
    return (evaluate(step.mongo) as { readonly documents: readonly Entry[] }).documents
  })

/** The statement with which the service creates a MySQL table. */
export const definitionOf = ({ start = [] }: Behaviour, table: string): string =>
  start
    .flatMap((step) => ('query' in step && step.sql !== undefined ? [step.sql] : []))
    .find((sql) => new RegExp(`^\\s*CREATE TABLE IF NOT EXISTS ${table}\\b`).test(sql)) ?? ''

/** The collections of a MongoDB database that the service fills. */
export const seededCollections = ({ start = [] }: Behaviour, database: string): readonly string[] =>
  start.flatMap((step) => {
    if (!('query' in step) || step.mongo?.includes(`"$db": "${database}"`) !== true) return []
    return /"insert": "([\w-]+)"/.exec(step.mongo)?.[1] ?? []
  })
