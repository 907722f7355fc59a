/** Fault: the permissions of a database user were revoked. */
import { isDeepStrictEqual } from 'node:util'
import {
  cachingClientsOf,
  changeStore,
  clientLoginOf,
  execTask,
  findStorePod,
  isMysql,
  liveCallers,
  replacePods,
  restartTask,
  shellCommand,
  toPlaybook,
} from '#exam/fault-parts'
import { defineFault, type FaultCase, type FaultTarget, type SystemView } from '#spec'
import { CallFailure } from '#world/twin/stores'
import { canWrite } from './can-write.ts'
import { HACKS } from './hacks.ts'
import { readRights } from './read-rights.ts'

const STORES: readonly unknown[] = ['mysql', 'mongodb']

const behaviourOf = (system: SystemView, store: string) => system.topology?.services[store]?.behaviour

const toStatement = (faultCase: FaultCase, verb: 'grant' | 'revoke'): string => {
  const { user, database, scope } = clientLoginOf(faultCase)
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

const MAX_LISTED = 3

const listSome = (rights: readonly string[]): string =>
  [...rights.slice(0, MAX_LISTED), ...(rights.length > MAX_LISTED ? ['...'] : [])].join(', ')

/** Describes how the rights differ. Records of older versions contain strings instead of lists. */
const describeDifference = (before: unknown, now: unknown): string => {
  if (!Array.isArray(before) || !Array.isArray(now)) return 'different permissions'
  const lacking = before.filter((right) => !now.includes(right))
  const added = now.filter((right) => !before.includes(right))
  return [
    'different permissions',
    ...(lacking.length > 0 ? [`without ${listSome(lacking)}`] : []),
    ...(added.length > 0 ? [`with ${listSome(added)}, too`] : []),
  ].join(', ')
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
    const { service } = context.target
    const rights = await readRights(context)
    // Unknown permissions could not be compared later.
    if (rights.length === 0) throw new Error(`${service} does not list the permissions of its user`)
    const { name } = (await findStorePod(context, service)).metadata
    await changeStore(context, service, toCommand(context, 'revoke'))
    for (const reader of cachingClientsOf(context)) await replacePods(context, reader)
    return { pod: name, rights }
  },
  async recover(context) {
    await changeStore(context, context.target.service, toCommand(context, 'grant'))
    for (const reader of cachingClientsOf(context)) await replacePods(context, reader)
  },
  probe: (context) =>
    readRights(context).then(
      async (rights) => ({ allowed: true, rights, writes: await canWrite(context) }),
      (error) => {
        if (!(error instanceof CallFailure) || error.kind !== 'login') throw error
        return { allowed: false, rights: [], said: error.message.slice(0, 200) }
      },
    ),
  isGone({ system, target, facts, state }) {
    const { user, database } = clientLoginOf({ system, target })
    // The user must have all its former permissions, and no others.
    const isSame = state.rights === undefined || isDeepStrictEqual(facts.rights, state.rights)
    // Records of rules before version 6 lack the fact.
    const isRefused = facts.writes === false
    const permissions = isSame
      ? `its former permissions${isRefused ? ', but cannot write to it' : ''}`
      : describeDifference(state.rights, facts.rights)
    return {
      holds: facts.allowed === true && isSame && !isRefused,
      evidence:
        facts.allowed === true
          ? `${user} can access ${database} in ${target.service} with ${permissions}`
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
      ...cachingClientsOf(faultCase).map((reader) =>
        restartTask(`Restart ${reader}`, faultCase.system, reader),
      ),
    ]),
  hacks: HACKS,
})
