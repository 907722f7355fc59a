/** The tables and collections that services fill at their start. */
import type { Behaviour, Step } from '#spec'

/** A table or a collection: `{store: 'mongodb-profile', database: 'profile-db', table: 'hotels'}`. */
export type Table = Readonly<Record<'store' | 'database' | 'table', string>>

const inSql = (step: Step): Table | undefined => {
  if (!('query' in step) || step.sql === undefined) return undefined
  const table = /^\s*INSERT\s+(?:IGNORE\s+)?INTO\s+(\w+)/i.exec(step.sql)?.[1]
  return table === undefined ? undefined : { store: step.query, database: '', table }
}

const inMongo = (step: Step): Table | undefined => {
  if (!('query' in step) || step.mongo === undefined) return undefined
  const table = /"insert": "([\w-]+)"/.exec(step.mongo)?.[1]
  const database = /"\$db": "([\w-]+)"/.exec(step.mongo)?.[1]
  return table === undefined || database === undefined ? undefined : { store: step.query, database, table }
}

const tablesIn = (steps: readonly Step[]): Table[] =>
  steps.flatMap((step) => {
    const table = inSql(step) ?? inMongo(step)
    return table === undefined ? [] : [table]
  })

const textOf = ({ endpoints = {} }: Behaviour): string => JSON.stringify(endpoints)

/** Tables that the service fills at its start and reads while it serves. */
export const seededBy = (behaviour: Behaviour): Table[] => {
  const text = textOf(behaviour)
  const isRead = ({ store, table }: Table): boolean =>
    text.includes(`"query":"${store}"`) && new RegExp(`(FROM |find\\\\": \\\\")${table}\\b`).test(text)
  return tablesIn(behaviour.start ?? []).filter(isRead)
}

/** Whether users do not write to the table: their data would be lost. MySQL tables are dropped one by one, MongoDB databases as a whole. */
export const isOnlySeeded = ({ database, table }: Table, behaviour: Behaviour): boolean =>
  database !== '' || !new RegExp(`INSERT\\s+(IGNORE\\s+)?INTO\\s+${table}\\b`, 'i').test(textOf(behaviour))

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
