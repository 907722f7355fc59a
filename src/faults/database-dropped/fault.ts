/** What a service has put into its database at its first start was dropped. */
import {
  changeStore,
  replacePods,
  restartTask,
  runInStore,
  shellCommand,
  toPlaybook,
} from '../../fault-parts/index.ts'
import {
  type Behaviour,
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Step,
  type SystemView,
} from '../../spec/index.ts'

/** A table or a collection: `{store: 'mongodb-profile', database: 'profile-db', table: 'hotels'}`. */
type Place = Readonly<Record<'store' | 'database' | 'table', string>>

const inSql = (step: Step): Place | undefined => {
  if (!('query' in step) || step.sql === undefined) return undefined
  const table = /^\s*INSERT\s+(?:IGNORE\s+)?INTO\s+(\w+)/i.exec(step.sql)?.[1]
  return table === undefined ? undefined : { store: step.query, database: '', table }
}

const inMongo = (step: Step): Place | undefined => {
  if (!('query' in step) || step.mongo === undefined) return undefined
  const table = /"insert": "([\w-]+)"/.exec(step.mongo)?.[1]
  const database = /"\$db": "([\w-]+)"/.exec(step.mongo)?.[1]
  return table === undefined || database === undefined ? undefined : { store: step.query, database, table }
}

const toPlaces = (steps: readonly Step[]): Place[] =>
  steps.flatMap((step) => {
    const place = inSql(step) ?? inMongo(step)
    return place === undefined ? [] : [place]
  })

const textOf = ({ endpoints = {} }: Behaviour): string => JSON.stringify(endpoints)

/** Those that the service fills at its start, and reads while it serves. */
const seededBy = (behaviour: Behaviour): Place[] => {
  const said = textOf(behaviour)
  const isRead = ({ store, table }: Place): boolean =>
    said.includes(`"query":"${store}"`) && new RegExp(`(FROM |find\\\\": \\\\")${table}\\b`).test(said)
  return toPlaces(behaviour.start ?? []).filter(isRead)
}

/** What users have written besides would be lost for good: MySQL's tables are dropped one by one, MongoDB's whole. */
const isOnlySeeded = ({ database, table }: Place, behaviour: Behaviour): boolean =>
  database !== '' || !new RegExp(`INSERT\\s+(IGNORE\\s+)?INTO\\s+${table}\\b`, 'i').test(textOf(behaviour))

const allSteps = ({ endpoints = {} }: Behaviour): readonly Step[] => {
  const inside = (steps: readonly Step[]): readonly Step[] =>
    steps.flatMap((step) => {
      const { do: own = [], parallel = [] } = step as { do?: readonly Step[]; parallel?: readonly Step[] }
      return [step, ...inside(own), ...inside(parallel)]
    })
  return Object.values(endpoints).flatMap(({ steps = [] }) => inside(steps))
}

/**
 * Whether a cache gets what was found whether or not anything was: it takes nothing for an answer and keeps it, and would hide that
 * the database is whole again.
 */
const cachesNothing = ({ store }: Place, behaviour: Behaviour): boolean => {
  const steps = allSteps(behaviour) as readonly (Step & { as?: string; when?: string; each?: string })[]
  const found = steps.flatMap((step) =>
    'query' in step && step.query === store && step.as !== undefined ? [step.as] : [],
  )
  const speaksOf = (text: unknown): boolean =>
    found.some((name) => new RegExp(`\\b${name}\\b`).test(String(text ?? '')))
  return steps.some(
    (step) =>
      'query' in step && speaksOf(step.memcached?.[2]) && !speaksOf(step.when) && !speaksOf(step.each),
  )
}

const databaseOf = (system: SystemView, { store, database }: Place): string =>
  database === '' ? (system.topology?.services[store]?.behaviour.store?.databases?.[0] ?? '') : database

const targetsOf = (system: SystemView): FaultTarget[] =>
  system.workloads.flatMap(({ service: reader }) => {
    const behaviour = system.topology?.services[reader]?.behaviour
    if (behaviour === undefined || system.impactOf(reader).down.length === 0) return []
    const places = seededBy(behaviour).filter(
      (place) => isOnlySeeded(place, behaviour) && !cachesNothing(place, behaviour),
    )
    // Of a database that is dropped whole, the collection that was filled last tells whether it is there.
    const [last] = places.slice(-1)
    return last === undefined
      ? []
      : [{ service: last.store, reader, database: databaseOf(system, last), table: last.table }]
  })

const isMysql = ({ system, target }: FaultCase): boolean =>
  system.topology?.services[target.service]?.behaviour.wire === 'mysql'

const toCommand = (about: FaultCase, what: 'drop' | 'count'): readonly string[] => {
  const { system, target } = about
  const { database, table } = target
  if (isMysql(about)) {
    const statement = what === 'drop' ? `DROP TABLE ${table}` : `SELECT COUNT(*) FROM ${table}`
    return shellCommand(system, target.service, statement, { database: String(database) })
  }
  const statement = what === 'drop' ? 'db.dropDatabase()' : `db.${table}.count()`
  return shellCommand(system, target.service, statement, { database: String(database) })
}

/** None where the store does not know it. */
const countRows = async (context: FaultContext): Promise<number> => {
  const command = toCommand(context, 'count')
  const { exitCode, stdout } = await runInStore(context, context.target.service, command)
  return exitCode === 0 ? Number(stdout.trim().split('\n').at(-1)) || 0 : 0
}

/** Whose memory hides for a while that something is gone. */
const cachesOf = ({ system, target }: FaultCase): readonly string[] =>
  system.edges
    .filter(
      ({ from, to }) =>
        from === target.reader && system.topology?.services[to]?.behaviour.wire === 'memcached',
    )
    .map(({ to }) => to)

export const fault = defineFault({
  name: 'database-dropped',
  about: 'Somebody dropped a database or a table that a service fills when it starts',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'operation-error',
  otherTypes: ['dependency-problem'],
  binding: 'cause',
  parameters: {},
  symptoms: [
    'the log says that a table does not exist, or answers are empty',
    'the store is well and takes connections',
  ],
  targets: targetsOf,
  async inject(context) {
    const rows = await countRows(context)
    // Against none a table that is filled in part would be whole again.
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
      evidence: `${target.table} in ${target.database} of ${target.service} has ${rows} entries of ${before}`,
    }
  },
  scope: ({ target }) => ({ services: [target.service, String(target.reader)] }),
  fix: ({ system, target }) =>
    toPlaybook('Fill the database again', [
      restartTask('Start the service, which makes what is missing', system, String(target.reader)),
    ]),
  hacks: [
    {
      name: 'restart-the-store',
      about: 'Deletes the pods of the store, which remembers what was dropped',
      act: (context) => replacePods(context, context.target.service),
    },
  ],
})
