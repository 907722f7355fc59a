/** The roles of users, and the actions that they permit. */
import { MongoFailure } from './mongo-failure.ts'

/** The permission that a command needs on its database; `none` needs no login. */
export type Action = 'none' | 'read' | 'write' | 'schema' | 'users' | 'cluster'

export interface Role {
  readonly role: string
  readonly db: string
}

const ACTIONS: Record<string, readonly Action[]> = {
  read: ['read'],
  readWrite: ['read', 'write', 'schema'],
  dbAdmin: ['schema'],
  userAdmin: ['users'],
  dbOwner: ['read', 'write', 'schema', 'users'],
  clusterMonitor: ['cluster'],
  clusterManager: ['cluster'],
  clusterAdmin: ['cluster', 'schema'],
  backup: ['read'],
  restore: ['write', 'schema'],
}

/** The actions of roles that apply to all databases if they are granted in `admin`. */
const ANY_DATABASE_ACTIONS: Record<string, readonly Action[]> = {
  root: ['read', 'write', 'schema', 'users', 'cluster'],
  __system: ['read', 'write', 'schema', 'users', 'cluster'],
  readAnyDatabase: ['read'],
  readWriteAnyDatabase: ['read', 'write', 'schema'],
  dbAdminAnyDatabase: ['schema'],
  userAdminAnyDatabase: ['users'],
  clusterMonitor: ['cluster'],
  clusterManager: ['cluster'],
  clusterAdmin: ['cluster', 'schema'],
}

/** Whether one of the roles permits the action on the database. */
export const isAuthorized = (roles: readonly Role[], action: Action, database: string): boolean =>
  roles.some(
    ({ role, db }) =>
      (db === 'admin' && ANY_DATABASE_ACTIONS[role]?.includes(action)) ||
      (db === database && ACTIONS[role]?.includes(action)),
  )

/** Returns the actions that the roles permit, sorted: `read@geo-db`; `*` means all databases. */
export const actionsOf = (roles: readonly Role[]): readonly string[] =>
  [
    ...new Set(
      roles.flatMap(({ role, db }) => [
        ...(db === 'admin' ? (ANY_DATABASE_ACTIONS[role] ?? []) : []).map((action) => `${action}@*`),
        ...(ACTIONS[role] ?? []).map((action) => `${action}@${db}`),
      ]),
    ),
  ].sort()

/** A plain name such as `"readWrite"` means a role on the current database. */
export const parseRoles = (roles: unknown, database: string): Role[] => {
  if (!Array.isArray(roles)) throw new MongoFailure('TypeMismatch', '"roles" had the wrong type')
  return roles.map((role) => {
    const parsed: Role = typeof role === 'string' ? { role, db: database } : role
    if (!(parsed.role in ACTIONS) && !(parsed.role in ANY_DATABASE_ACTIONS))
      throw new MongoFailure('RoleNotFound', `Could not find role: ${parsed.role}@${parsed.db}`)
    return { role: parsed.role, db: parsed.db }
  })
}

export const isSameRole = (left: Role, right: Role): boolean =>
  left.role === right.role && left.db === right.db
