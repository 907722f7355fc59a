/** The user with which services log in to a store. */
import type { FaultCase, SystemView } from '#spec'
import { protocolOf } from './store-client.ts'
import { settingOf } from './store-shell.ts'

export interface ClientLogin {
  readonly user: string
  readonly password: string
  readonly database: string
  /** The object of a MySQL grant, such as `shop.*`. */
  readonly scope: string
}

/** The first user that the store creates for its clients, with the deployed password. */
export const clientLoginOf = ({ system, target }: Pick<FaultCase, 'system' | 'target'>): ClientLogin => {
  const { users, databases } = system.topology!.services[target.service]!.behaviour.store!
  const { name, password, databases: ownDatabases } = users![0]!
  return {
    user: settingOf(system, target.service, name),
    password: settingOf(system, target.service, password),
    database: ownDatabases?.[0] ?? databases![0]!,
    scope: ownDatabases === undefined ? '*.*' : `${ownDatabases[0]}.*`,
  }
}

/** Whether the target is a MySQL store; otherwise it is MongoDB. */
export const isMysql = ({ system, target }: Pick<FaultCase, 'system' | 'target'>): boolean =>
  protocolOf(system, target.service) === 'mysql'

/**
 * Services that read from the store only at their start, or mostly from caches:
 * they notice a repair only after a restart.
 */
export const cachingClientsOf = ({
  system,
  target,
}: {
  system: SystemView
  target: FaultCase['target']
}): readonly string[] => (isMysql({ system, target }) ? [] : system.callersOf(target.service))
