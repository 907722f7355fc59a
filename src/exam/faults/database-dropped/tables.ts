/** Finds the tables and collections that services fill at their start. */
import type { Behaviour, Step } from '#spec'

/** A table or a collection: `{store: 'mongodb-profile', database: 'profile-db', table: 'hotels'}`. */
export type Table = Readonly<Record<'store' | 'database' | 'table', string>>

const tableOfSqlInsert = (step: Step): Table | undefined => {
  if (!('query' in step) || step.sql === undefined) return undefined
  const table = /^\s*INSERT\s+(?:IGNORE\s+)?INTO\s+(\w+)/i.exec(step.sql)?.[1]
  return table === undefined ? undefined : { store: step.query, database: '', table }
}

const collectionOfMongoInsert = (step: Step): Table | undefined => {
  if (!('query' in step) || step.mongo === undefined) return undefined
  const table = /"insert": "([\w-]+)"/.exec(step.mongo)?.[1]
  const database = /"\$db": "([\w-]+)"/.exec(step.mongo)?.[1]
  return table === undefined || database === undefined ? undefined : { store: step.query, database, table }
}

const insertedTables = (steps: readonly Step[]): Table[] =>
  steps.flatMap((step) => {
    const table = tableOfSqlInsert(step) ?? collectionOfMongoInsert(step)
    return table === undefined ? [] : [table]
  })

const endpointsText = ({ endpoints = {} }: Behaviour): string => JSON.stringify(endpoints)

/** Tables that the service fills at its start and reads while it serves. */
export const seededBy = (behaviour: Behaviour): Table[] => {
  const text = endpointsText(behaviour)
  const isRead = ({ store, table }: Table): boolean =>
    text.includes(`"query":"${store}"`) && new RegExp(`(FROM |find\\\\": \\\\")${table}\\b`).test(text)
  return insertedTables(behaviour.start ?? []).filter(isRead)
}

/**
 * Whether users never write to a MySQL table, so that dropping it loses none of their data. MongoDB is not checked:
 * a whole database is dropped.
 */
export const isOnlySeeded = ({ database, table }: Table, behaviour: Behaviour): boolean =>
  database !== '' ||
  !new RegExp(`INSERT\\s+(IGNORE\\s+)?INTO\\s+${table}\\b`, 'i').test(endpointsText(behaviour))

const allSteps = ({ endpoints = {} }: Behaviour): readonly Step[] => {
  const listNested = (steps: readonly Step[]): readonly Step[] =>
    steps.flatMap((step) => {
      const { do: nested = [], parallel = [] } = step as { do?: readonly Step[]; parallel?: readonly Step[] }
      return [step, ...listNested(nested), ...listNested(parallel)]
    })
  return Object.values(endpoints).flatMap(({ steps = [] }) => listNested(steps))
}

/** Whether the service also caches empty results, which would hide that the database was restored. */
export const cachesEmptyResults = ({ store }: Table, behaviour: Behaviour): boolean => {
  const steps = allSteps(behaviour) as readonly (Step & { as?: string; when?: string; each?: string })[]
  const resultNames = steps.flatMap((step) =>
    'query' in step && step.query === store && step.as !== undefined ? [step.as] : [],
  )
  const mentions = (text: unknown): boolean =>
    resultNames.some((name) => new RegExp(`\\b${name}\\b`).test(String(text ?? '')))
  return steps.some(
    (step) =>
      'query' in step && mentions(step.memcached?.[2]) && !mentions(step.when) && !mentions(step.each),
  )
}
