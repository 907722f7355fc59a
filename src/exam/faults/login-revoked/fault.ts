/** Fault: the permissions of a database user were revoked. */
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
} from '#exam/fault-parts'
import {
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Hack,
  type SystemView,
} from '#spec'

interface Login {
  /** The object of a MySQL grant, such as `shop.*`. */
  readonly scope: string
  readonly user: string
  readonly password: string
  readonly database: string
}

const STORES: readonly unknown[] = ['mysql', 'mongodb']

const behaviourOf = (system: SystemView, store: string) => system.topology?.services[store]?.behaviour

/** The first user that the store creates for its clients. */
const loginOf = ({ system, target }: Pick<FaultCase, 'system' | 'target'>): Login => {
  const { users, databases } = behaviourOf(system, target.service)!.store!
  const { name, password, databases: ownDatabases } = users![0]!
  return {
    user: settingOf(system, target.service, name),
    password: settingOf(system, target.service, password),
    database: ownDatabases?.[0] ?? databases![0]!,
    scope: ownDatabases === undefined ? '*.*' : `${ownDatabases[0]}.*`,
  }
}

const isMysql = ({ system, target }: FaultCase): boolean =>
  behaviourOf(system, target.service)?.protocol === 'mysql'

const toStatement = (faultCase: FaultCase, verb: 'grant' | 'revoke'): string => {
  const { user, database, scope } = loginOf(faultCase)
  if (!isMysql(faultCase)) {
    const roles = `[{role: "readWrite", db: "${database}"}]`
    return `db.${verb}Roles${verb === 'grant' ? 'To' : 'From'}User("${user}", ${roles})`
  }
  return verb === 'grant'
    ? `GRANT ALL PRIVILEGES ON ${scope} TO '${user}'@'%'`
    : `REVOKE ALL PRIVILEGES ON ${scope} FROM '${user}'@'%'`
}

const toCommand = (faultCase: FaultCase, verb: 'grant' | 'revoke'): readonly string[] =>
  shellCommand(faultCase.system, faultCase.target.service, toStatement(faultCase, verb))

/** A query that needs the permissions. */
const toQuery = (faultCase: FaultCase): readonly string[] => {
  const login = loginOf(faultCase)
  const query = isMysql(faultCase) ? 'SHOW TABLES' : 'db.runCommand({listCollections: 1})'
  return shellCommand(faultCase.system, faultCase.target.service, query, login)
}

/** All permissions of the user as sorted lines; empty if the store does not list them. */
const permissionsOf = async (context: FaultContext): Promise<string> => {
  const { user } = loginOf(context)
  const query = isMysql(context) ? `SHOW GRANTS FOR '${user}'@'%'` : `db.getUser("${user}")`
  const command = shellCommand(context.system, context.target.service, query)
  const { exitCode, stdout } = await runInStore(context, context.target.service, command)
  const lines = exitCode === 0 ? stdout.split('\n').map((line) => line.trim().replace(/,$/, '')) : []
  return lines
    .filter((line) => line !== '')
    .sort()
    .join('\n')
}

/** Clients that are restarted: those of MongoDB read only at their start or mostly from caches; those of MySQL query permanently. */
const readersOf = (faultCase: FaultCase): readonly string[] =>
  isMysql(faultCase) ? [] : faultCase.system.callersOf(faultCase.target.service)

const readsAtStart = (system: SystemView, reader: string, store: string): boolean =>
  behaviourOf(system, store)?.protocol === 'mongodb' &&
  (behaviourOf(system, reader)?.start ?? []).some((step) => 'query' in step && step.query === store)

const targetsOf = (system: SystemView): FaultTarget[] =>
  system.workloads
    .filter(({ service }) => STORES.includes(behaviourOf(system, service)?.protocol))
    .filter(({ service }) => (behaviourOf(system, service)?.store?.users ?? []).length > 0)
    .filter(({ service }) => {
      // A client that is restarted without permissions does not become ready.
      const affected = [
        service,
        ...system.callersOf(service).filter((caller) => readsAtStart(system, caller, service)),
      ]
      return affected.some((candidate) => system.impactOf(candidate).down.length > 0)
    })
    .map(({ service }) => ({ service }))

const readOnly: Hack = {
  name: 'grant-reading-only',
  about: 'Grants only read permissions',
  async act(context) {
    const { system, target } = context
    const { user, database, scope } = loginOf(context)
    const statement = isMysql(context)
      ? `GRANT SELECT ON ${scope} TO '${user}'@'%'`
      : `db.grantRolesToUser("${user}", [{role: "read", db: "${database}"}])`
    await changeStore(context, target.service, shellCommand(system, target.service, statement))
    for (const reader of readersOf(context)) await replacePods(context, reader)
  },
}

export const fault = defineFault({
  name: 'login-revoked',
  about: 'The permissions of the user with which services access a database were revoked in the store',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'authentication-issue',
  binding: 'cause',
  parameters: {},
  symptoms: ['logs of clients report that access is denied or not authorised', 'the store itself is healthy'],
  targets: targetsOf,
  async inject(context) {
    const rights = await permissionsOf(context)
    // Unknown permissions could not be compared later.
    if (rights === '') throw new Error(`${context.target.service} does not list the permissions of its user`)
    await changeStore(context, context.target.service, toCommand(context, 'revoke'))
    for (const reader of readersOf(context)) await replacePods(context, reader)
    return { pod: await leadingPod(context, context.target.service), rights }
  },
  async recover(context) {
    await changeStore(context, context.target.service, toCommand(context, 'grant'))
    for (const reader of readersOf(context)) await replacePods(context, reader)
  },
  async probe(context) {
    const query = toQuery(context)
    const { exitCode, stdout, stderr } = await runInStore(context, context.target.service, query)
    const isRefused = exitCode !== 0 || /not authorized|denied/i.test(stdout)
    const rights = isRefused ? '' : await permissionsOf(context)
    return { allowed: !isRefused, rights, said: isRefused ? (stderr || stdout).trim().slice(0, 200) : '' }
  },
  isGone({ system, target, facts, state }) {
    const { user, database } = loginOf({ system, target })
    // All former permissions, and no more.
    const isSame = state.rights === undefined || facts.rights === state.rights
    return {
      holds: facts.allowed === true && isSame,
      evidence:
        facts.allowed === true
          ? `${user} can access ${database} in ${target.service} with ${isSame ? 'its former' : 'different'} permissions`
          : `${user} cannot access ${database} in ${target.service}: ${facts.said ?? 'it was not probed'}`,
    }
  },
  // Clients that were rejected may be restarted.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix: ({ state, ...faultCase }) =>
    toPlaybook('Restore the permissions of the user', [
      execTask('Grant the permissions', faultCase.system, {
        store: faultCase.target.service,
        pod: String(state.pod),
        command: toCommand(faultCase, 'grant'),
      }),
      ...readersOf(faultCase).map((reader) => restartTask(`Restart ${reader}`, faultCase.system, reader)),
    ]),
  hacks: [
    readOnly,
    {
      name: 'restart-the-store',
      about: 'Deletes the pods of the store, which persists its permissions',
      act: (context) => replacePods(context, context.target.service),
    },
    {
      name: 'restart-the-readers',
      about: 'Deletes the pods of the clients of the store',
      async act(context) {
        for (const reader of context.system.callersOf(context.target.service))
          await replacePods(context, reader)
      },
    },
  ],
})
