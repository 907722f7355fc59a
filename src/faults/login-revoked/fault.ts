/** A service's user may no longer use its database. */
import {
  changeStore,
  execTask,
  leadingPod,
  liveCallers,
  replacePods,
  restartTask,
  runInStore,
  settingOf,
  shellCommand,
  toPlaybook,
} from '../../fault-parts/index.ts'
import {
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Hack,
  type SystemView,
} from '../../spec/index.ts'

interface Login {
  /** As MySQL writes what a grant is about. */
  readonly place: string
  readonly user: string
  readonly password: string
  readonly database: string
}

const STORES: readonly unknown[] = ['mysql', 'mongodb']

const behaviourOf = (system: SystemView, store: string) => system.topology?.services[store]?.behaviour

/** The first user that the store makes for others. */
const loginOf = ({ system, target }: Pick<FaultCase, 'system' | 'target'>): Login => {
  const { users, databases } = behaviourOf(system, target.service)!.store!
  const { name, password, databases: own } = users![0]!
  return {
    user: settingOf(system, target.service, name),
    password: settingOf(system, target.service, password),
    database: own?.[0] ?? databases![0]!,
    place: own === undefined ? '*.*' : `${own[0]}.*`,
  }
}

const isMysql = ({ system, target }: FaultCase): boolean =>
  behaviourOf(system, target.service)?.wire === 'mysql'

const toStatement = (about: FaultCase, way: 'grant' | 'revoke'): string => {
  const { user, database, place } = loginOf(about)
  if (!isMysql(about)) {
    const roles = `[{role: "readWrite", db: "${database}"}]`
    return `db.${way}Roles${way === 'grant' ? 'To' : 'From'}User("${user}", ${roles})`
  }
  return way === 'grant'
    ? `GRANT ALL PRIVILEGES ON ${place} TO '${user}'@'%'`
    : `REVOKE ALL PRIVILEGES ON ${place} FROM '${user}'@'%'`
}

const toCommand = (about: FaultCase, way: 'grant' | 'revoke'): readonly string[] =>
  shellCommand(about.system, about.target.service, toStatement(about, way))

/** What only somebody with rights there is answered. */
const toQuestion = (about: FaultCase): readonly string[] => {
  const login = loginOf(about)
  const question = isMysql(about) ? 'SHOW TABLES' : 'db.runCommand({listCollections: 1})'
  return shellCommand(about.system, about.target.service, question, login)
}

/** All that root is told of the rights of the user, in an order of its own; nothing where the store does not tell. */
const rightsOf = async (context: FaultContext): Promise<string> => {
  const { user } = loginOf(context)
  const question = isMysql(context) ? `SHOW GRANTS FOR '${user}'@'%'` : `db.getUser("${user}")`
  const command = shellCommand(context.system, context.target.service, question)
  const { exitCode, stdout } = await runInStore(context, context.target.service, command)
  const lines = exitCode === 0 ? stdout.split('\n').map((line) => line.trim().replace(/,$/, '')) : []
  return lines
    .filter((line) => line !== '')
    .sort()
    .join('\n')
}

/** Of MongoDB's readers some ask only when they start, the others mostly their caches; MySQL's ask all the time. */
const readersOf = (about: FaultCase): readonly string[] =>
  isMysql(about) ? [] : about.system.callersOf(about.target.service)

const asksAtStart = (system: SystemView, reader: string, store: string): boolean =>
  behaviourOf(system, store)?.wire === 'mongodb' &&
  (behaviourOf(system, reader)?.start ?? []).some((step) => 'query' in step && step.query === store)

const targetsOf = (system: SystemView): FaultTarget[] =>
  system.workloads
    .filter(({ service }) => STORES.includes(behaviourOf(system, service)?.wire))
    .filter(({ service }) => (behaviourOf(system, service)?.store?.users ?? []).length > 0)
    .filter(({ service }) => {
      // Whoever is started again without his rights does not come up, even where he seldom needs them.
      const hurt = [service, ...system.callersOf(service).filter((one) => asksAtStart(system, one, service))]
      return hurt.some((one) => system.impactOf(one).down.length > 0)
    })
    .map(({ service }) => ({ service }))

/** Whoever only looks does not notice. */
const readOnly: Hack = {
  name: 'grant-reading-only',
  about: 'Lets the user read, and write no more',
  async act(context) {
    const { system, target } = context
    const { user, database, place } = loginOf(context)
    const statement = isMysql(context)
      ? `GRANT SELECT ON ${place} TO '${user}'@'%'`
      : `db.grantRolesToUser("${user}", [{role: "read", db: "${database}"}])`
    await changeStore(context, target.service, shellCommand(system, target.service, statement))
    for (const reader of readersOf(context)) await replacePods(context, reader)
  },
}

export const fault = defineFault({
  name: 'login-revoked',
  about: 'The rights of the user by whom services enter a database were revoked inside the store',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'authentication-issue',
  binding: 'cause',
  parameters: {},
  symptoms: [
    'logs of those who use the store say that access is denied or that they are not authorised',
    'the store itself is well',
  ],
  targets: targetsOf,
  async inject(context) {
    const rights = await rightsOf(context)
    // Rights that nobody knows could never be told to be the same again.
    if (rights === '') throw new Error(`${context.target.service} does not tell what its user may do`)
    await changeStore(context, context.target.service, toCommand(context, 'revoke'))
    for (const reader of readersOf(context)) await replacePods(context, reader)
    return { pod: await leadingPod(context, context.target.service), rights }
  },
  async recover(context) {
    await changeStore(context, context.target.service, toCommand(context, 'grant'))
    for (const reader of readersOf(context)) await replacePods(context, reader)
  },
  async probe(context) {
    const question = toQuestion(context)
    const { exitCode, stdout, stderr } = await runInStore(context, context.target.service, question)
    const isRefused = exitCode !== 0 || /not authorized|denied/i.test(stdout)
    const rights = isRefused ? '' : await rightsOf(context)
    return { allowed: !isRefused, rights, said: isRefused ? (stderr || stdout).trim().slice(0, 200) : '' }
  },
  isGone({ system, target, facts, state }) {
    const { user, database } = loginOf({ system, target })
    // Neither a part of them, with which the next start fails, nor those of everybody.
    const isSame = state.rights === undefined || facts.rights === state.rights
    return {
      holds: facts.allowed === true && isSame,
      evidence:
        facts.allowed === true
          ? `${user} may use ${database} in ${target.service}, with ${isSame ? 'the' : 'other'} rights ${isSame ? 'that it had' : 'than before'}`
          : `${user} may not use ${database} in ${target.service}: ${facts.said ?? 'nobody has looked'}`,
    }
  },
  // Who was turned away may be started again.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix: ({ state, ...about }) =>
    toPlaybook('Give the user its rights back', [
      execTask('Grant', about.system, about.target.service, String(state.pod), toCommand(about, 'grant')),
      ...readersOf(about).map((reader) => restartTask(`Let ${reader} log in again`, about.system, reader)),
    ]),
  hacks: [
    readOnly,
    {
      name: 'restart-the-store',
      about: 'Deletes the pods of the store, which remembers what was revoked',
      act: (context) => replacePods(context, context.target.service),
    },
    {
      name: 'restart-the-readers',
      about: 'Deletes the pods of those who use the store',
      async act(context) {
        for (const reader of context.system.callersOf(context.target.service))
          await replacePods(context, reader)
      },
    },
  ],
})
