/** The user with which services access a store. */
import { protocolOf, settingOf } from '#exam/fault-parts'
import type { FaultCase, SystemView } from '#spec'

export interface Login {
  readonly user: string
  readonly password: string
  readonly database: string
  /** The object of a MySQL grant, such as `shop.*`. */
  readonly scope: string
}

export type Target = Pick<FaultCase, 'system' | 'target'>

export const behaviourOf = (system: SystemView, store: string) => system.topology?.services[store]?.behaviour

/** The first user that the store creates for its clients, with the deployed password. */
export const loginOf = ({ system, target }: Target): Login => {
  const { users, databases } = behaviourOf(system, target.service)!.store!
  const { name, password, databases: ownDatabases } = users![0]!
  return {
    user: settingOf(system, target.service, name),
    password: settingOf(system, target.service, password),
    database: ownDatabases?.[0] ?? databases![0]!,
    scope: ownDatabases === undefined ? '*.*' : `${ownDatabases[0]}.*`,
  }
}

export const isMysql = ({ system, target }: Target): boolean => protocolOf(system, target.service) === 'mysql'
