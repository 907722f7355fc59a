/** Fault: data that a service inserts at its start was dropped. */
import {
  changeStore,
  countMissing,
  definitionOf,
  fingerprintEntry,
  generatedColumns,
  isMysql,
  queryStore,
  readEntries,
  replacePods,
  restartTask,
  seededCollections,
  seededDocuments,
  seededRows,
  shellCommand,
  type TableRef,
  toPlaybook,
} from '#exam/fault-parts'
import {
  type Behaviour,
  type CauseState,
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultState,
  type FaultTarget,
  type RepairContext,
  type SystemView,
} from '#spec'
import { cachesEmptyResults, isOnlySeeded, seededBy, type Table } from './tables.ts'

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

const dropCommand = (faultCase: FaultCase): readonly string[] => {
  const { service, database, table } = faultCase.target
  const statement = isMysql(faultCase) ? `DROP TABLE ${table}` : 'db.dropDatabase()'
  return shellCommand(faultCase.system, service, statement, { database: String(database) })
}

/** Fingerprints of entries, by table or collection. */
type Entries = Readonly<Record<string, readonly string[]>>

/** More entries than any service inserts at its start. */
const MAX_ENTRIES = 2000

const readerBehaviour = ({ system, target }: FaultCase): Behaviour =>
  system.topology!.services[String(target.reader)]!.behaviour

/** The tables that the fault drops and the reader fills. */
const tableRefsOf = (faultCase: FaultCase): readonly TableRef[] => {
  const database = String(faultCase.target.database)
  const table = String(faultCase.target.table)
  const behaviour = readerBehaviour(faultCase)
  if (isMysql(faultCase))
    return [{ protocol: 'mysql', database, table, generated: generatedColumns(behaviour, table) }]
  const collections = [...new Set(seededCollections(behaviour, database))].sort()
  return collections.map((collection) => ({ protocol: 'mongodb', database, table: collection }))
}

const readAllEntries = (context: FaultContext): Promise<Entries> =>
  queryStore(context, context.target.service, {}, async (client) => {
    const entries: Record<string, readonly string[]> = {}
    for (const ref of tableRefsOf(context)) entries[ref.table] = await readEntries(client, ref, MAX_ENTRIES)
    return entries
  })

/**
 * Reads those entries that the reader inserts at its start. Other entries do not count: a repair cannot
 * restore data that users have written or changed.
 */
const readSeededEntries = async (context: FaultContext): Promise<Entries> => {
  const present = await readAllEntries(context)
  return Object.fromEntries(
    tableRefsOf(context).map((ref) => {
      const behaviour = readerBehaviour(context)
      const seeds =
        ref.protocol === 'mysql' ? seededRows(behaviour, ref.table) : seededDocuments(behaviour, ref.table)
      const found = new Set(present[ref.table])
      const entries = seeds.map((seed) => fingerprintEntry(seed, ref)).filter((entry) => found.has(entry))
      return [ref.table, entries.sort()]
    }),
  )
}

const sizeOf = (entries: Entries): number => Object.values(entries).flat().length

/** Caches of the reader, which would hide the fault for a while. */
const cachesOf = ({ system, target }: FaultCase): readonly string[] =>
  system.edges
    .filter(
      ({ from, to }) =>
        from === target.reader && system.topology?.services[to]?.behaviour.protocol === 'memcached',
    )
    .map(({ to }) => to)

/** Judges records of older versions, which hold only the number of entries. */
const judgeCount = (target: FaultTarget, facts: FaultState, state: FaultState): CauseState => {
  const [rows, before] = [Number(facts.rows ?? 0), Number(state.rows ?? 1)]
  return {
    holds: rows > 0 && rows >= before,
    evidence: `${target.table} in ${target.database} of ${target.service} has ${rows} of ${before} entries`,
  }
}

const SQL_KEYS = ['id', 'tripId', 'name']

/** Inserts as many entries as before, with nothing but their keys. */
const insertEmpty = async (context: RepairContext): Promise<void> => {
  const { system, target } = context
  const { service, reader, database, table } = target
  const behaviour = readerBehaviour(context)
  const run = (statement: string): Promise<void> =>
    changeStore(context, service, shellCommand(system, service, statement, { database: String(database) }))
  if (isMysql(context)) {
    const rows = seededRows(behaviour, String(table))
    const columns = Object.keys(rows[0] ?? {})
    const values = rows.map((row) => {
      const cells = columns.map((name) => (SQL_KEYS.includes(name) ? `'${row[name]}'` : "''"))
      return `(${cells.join(', ')})`
    })
    const insert = `INSERT IGNORE INTO ${table} (${columns.join(', ')}) VALUES ${values.join(', ')}`
    await run(`${definitionOf(behaviour, String(table))}; ${insert}`)
  } else {
    const ids = seededDocuments(behaviour, String(table)).map(({ id, hotelId }) => ({ id, hotelId }))
    await run(`db.${table}.insertMany(${JSON.stringify(ids)})`)
  }
  await replacePods(context, String(reader))
}

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
    const entries = await readSeededEntries(context)
    // Without former entries to compare with, any table would look complete.
    if (sizeOf(entries) === 0)
      throw new Error(`${context.target.table} in ${context.target.service} has no entries`)
    await changeStore(context, context.target.service, dropCommand(context))
    for (const cache of cachesOf(context)) await replacePods(context, cache)
    return { entries }
  },
  recover: (context) => replacePods(context, String(context.target.reader)),
  culprits: ({ target }) => [target.service, String(target.reader)],
  probe: async (context) => ({ entries: await readAllEntries(context) }),
  isGone({ target, facts, state }) {
    if (state.entries === undefined) return judgeCount(target, facts, state)
    const before = state.entries as Entries
    const now = (facts.entries ?? {}) as Entries
    const missing = Object.entries(before).reduce(
      (sum, [table, entries]) => sum + countMissing(entries, now[table] ?? []),
      0,
    )
    const tables = Object.keys(before).join(' and ')
    const found = `${sizeOf(before) - missing} of ${sizeOf(before)} former entries with the same content`
    return {
      holds: missing === 0,
      evidence: `${tables} in ${target.database} of ${target.service} has ${found}`,
    }
  },
  scope: ({ target }) => ({ services: [target.service, String(target.reader)] }),
  fix: ({ system, target }) =>
    toPlaybook('Restore the data', [
      restartTask('Restart the service, which inserts the missing data', system, String(target.reader)),
    ]),
  hacks: [
    {
      name: 'insert-empty-documents',
      about: 'Inserts as many entries as before, which contain only keys',
      act: insertEmpty,
    },
    {
      name: 'restart-the-store',
      about: 'Deletes the pods of the store; the data stays dropped',
      act: (context) => replacePods(context, context.target.service),
    },
  ],
})
