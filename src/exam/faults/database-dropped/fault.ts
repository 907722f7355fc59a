/** Fault: data that a service inserts at its start was dropped. */
import {
  changeStore,
  replacePods,
  restartTask,
  runInStore,
  shellCommand,
  toPlaybook,
} from '#exam/fault-parts'
import {
  type Behaviour,
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Step,
  type SystemView,
} from '#spec'

/** A table or a collection: `{store: 'mongodb-profile', database: 'profile-db', table: 'hotels'}`. */
type Table = Readonly<Record<'store' | 'database' | 'table', string>>

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
const seededBy = (behaviour: Behaviour): Table[] => {
  const text = textOf(behaviour)
  const isRead = ({ store, table }: Table): boolean =>
    text.includes(`"query":"${store}"`) && new RegExp(`(FROM |find\\\\": \\\\")${table}\\b`).test(text)
  return tablesIn(behaviour.start ?? []).filter(isRead)
}

/** Whether users do not write to the table: their data would be lost. MySQL tables are dropped one by one, MongoDB databases as a whole. */
const isOnlySeeded = ({ database, table }: Table, behaviour: Behaviour): boolean =>
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
const cachesEmptyResults = ({ store }: Table, behaviour: Behaviour): boolean => {
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

const databaseOf = (system: SystemView, { store, database }: Table): string =>
  database === '' ? (system.topology?.services[store]?.behaviour.store?.databases?.[0] ?? '') : database

const targetsOf = (system: SystemView): FaultTarget[] =>
  system.workloads.flatMap(({ service: reader }) => {
    const behaviour = system.topology?.services[reader]?.behaviour
    if (behaviour === undefined || system.impactOf(reader).down.length === 0) return []
    const tables = seededBy(behaviour).filter(
      (table) => isOnlySeeded(table, behaviour) && !cachesEmptyResults(table, behaviour),
    )
    // If a whole database is dropped, the collection that is filled last shows whether it was restored.
    const [last] = tables.slice(-1)
    return last === undefined
      ? []
      : [{ service: last.store, reader, database: databaseOf(system, last), table: last.table }]
  })

const isMysql = ({ system, target }: FaultCase): boolean =>
  system.topology?.services[target.service]?.behaviour.protocol === 'mysql'

const toCommand = (faultCase: FaultCase, operation: 'drop' | 'count'): readonly string[] => {
  const { system, target } = faultCase
  const { database, table } = target
  if (isMysql(faultCase)) {
    const statement = operation === 'drop' ? `DROP TABLE ${table}` : `SELECT COUNT(*) FROM ${table}`
    return shellCommand(system, target.service, statement, { database: String(database) })
  }
  const statement = operation === 'drop' ? 'db.dropDatabase()' : `db.${table}.count()`
  return shellCommand(system, target.service, statement, { database: String(database) })
}

/** 0 if the table does not exist. */
const countRows = async (context: FaultContext): Promise<number> => {
  const command = toCommand(context, 'count')
  const { exitCode, stdout } = await runInStore(context, context.target.service, command)
  return exitCode === 0 ? Number(stdout.trim().split('\n').at(-1)) || 0 : 0
}

/** Caches of the reader, which would hide the fault for a while. */
const cachesOf = ({ system, target }: FaultCase): readonly string[] =>
  system.edges
    .filter(
      ({ from, to }) =>
        from === target.reader && system.topology?.services[to]?.behaviour.protocol === 'memcached',
    )
    .map(({ to }) => to)

export const fault = defineFault({
  name: 'database-dropped',
  about: 'A database or a table that a service fills at its start was dropped',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'operation-error',
  otherTypes: ['dependency-problem'],
  binding: 'cause',
  parameters: {},
  symptoms: [
    'the log reports that a table does not exist, or responses are empty',
    'the store is healthy and accepts connections',
  ],
  targets: targetsOf,
  async inject(context) {
    const rows = await countRows(context)
    // Without the former count, a partly filled table would look complete.
    if (rows === 0) throw new Error(`${context.target.table} in ${context.target.service} has no entries`)
    await changeStore(context, context.target.service, toCommand(context, 'drop'))
    for (const cache of cachesOf(context)) await replacePods(context, cache)
    return { rows }
  },
  recover: (context) => replacePods(context, String(context.target.reader)),
  culprits: ({ target }) => [target.service, String(target.reader)],
  probe: async (context) => ({ rows: await countRows(context) }),
  isGone({ target, facts, state }) {
    const [rows, before] = [Number(facts.rows ?? 0), Number(state.rows ?? 1)]
    return {
      holds: rows > 0 && rows >= before,
      evidence: `${target.table} in ${target.database} of ${target.service} has ${rows} of ${before} entries`,
    }
  },
  scope: ({ target }) => ({ services: [target.service, String(target.reader)] }),
  fix: ({ system, target }) =>
    toPlaybook('Restore the data', [
      restartTask('Restart the service, which inserts the missing data', system, String(target.reader)),
    ]),
  hacks: [
    {
      name: 'restart-the-store',
      about: 'Deletes the pods of the store; the data stays dropped',
      act: (context) => replacePods(context, context.target.service),
    },
  ],
})
