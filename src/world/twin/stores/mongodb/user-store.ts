/** The users of a server: credentials, roles, and the actions that the roles permit. */
import { Binary, type Document } from './bson.ts'
import type { DocumentStore } from './document-store.ts'
import { MongoFailure } from './mongo-failure.ts'
import { type Credential, createCredential, MECHANISMS, type Mechanism, type ScramSource } from './scram.ts'

/** The permission that a command needs on its database; `none` needs no login. */
export type Action = 'none' | 'read' | 'write' | 'schema' | 'users' | 'cluster'

export interface Role {
  readonly role: string
  readonly db: string
}

export interface User {
  readonly user: string
  readonly db: string
  readonly roles: readonly Role[]
  readonly credentials: Readonly<Partial<Record<Mechanism, Credential>>>
}

const NAMESPACE = 'admin.system.users'

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

const isSameRole = (left: Role, right: Role): boolean => left.role === right.role && left.db === right.db

const createCredentials = async (
  source: ScramSource,
  user: string,
  password: unknown,
): Promise<User['credentials']> => {
  if (typeof password !== 'string' || password === '')
    throw new MongoFailure('BadValue', 'Password cannot be empty')
  const credentials = await Promise.all(
    MECHANISMS.map(async (mechanism) => [
      mechanism,
      await createCredential(source, mechanism, user, password),
    ]),
  )
  return Object.fromEntries(credentials)
}

const UUID_SUBTYPE = 4

/** The bytes of a version-4 UUID. */
const createUuid = ({ random }: ScramSource): Buffer => {
  const bytes = Buffer.from(random.bytes(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes
}

export class UserStore {
  readonly #store: DocumentStore
  readonly #scram: ScramSource

  constructor(store: DocumentStore, scram: ScramSource) {
    this.#store = store
    this.#scram = scram
  }

  get count(): number {
    return this.#store.collection(NAMESPACE)?.size ?? 0
  }

  find(database: string, user: string): User | undefined {
    return this.#store.collection(NAMESPACE)?.get(`${database}.${user}`) as User | undefined
  }

  list(database?: string): User[] {
    const all = [...(this.#store.collection(NAMESPACE)?.documents() ?? [])] as unknown as User[]
    return all.filter(({ db }) => database === undefined || db === database)
  }

  async create(database: string, user: string, password: unknown, roles: readonly Role[]): Promise<void> {
    if (this.find(database, user))
      throw new MongoFailure('UserAlreadyExists', `User "${user}@${database}" already exists`)
    const userId = new Binary(createUuid(this.#scram), UUID_SUBTYPE)
    const credentials = await createCredentials(this.#scram, user, password)
    await this.#store.insert(NAMESPACE, {
      _id: `${database}.${user}`,
      userId,
      user,
      db: database,
      credentials,
      roles,
    })
  }

  async update(
    database: string,
    user: string,
    change: { readonly password?: unknown; readonly roles?: readonly Role[] },
  ): Promise<void> {
    const existing = this.#findOrThrow(database, user)
    const credentials =
      change.password === undefined
        ? existing.credentials
        : await createCredentials(this.#scram, user, change.password)
    await this.#store.replace(NAMESPACE, { ...existing, credentials, roles: change.roles ?? existing.roles })
  }

  async grant(database: string, user: string, roles: readonly Role[]): Promise<void> {
    const existing = this.#findOrThrow(database, user)
    const added = roles.filter((role) => !existing.roles.some((granted) => isSameRole(role, granted)))
    await this.#store.replace(NAMESPACE, { ...existing, roles: [...existing.roles, ...added] })
  }

  async revoke(database: string, user: string, roles: readonly Role[]): Promise<void> {
    const existing = this.#findOrThrow(database, user)
    const kept = existing.roles.filter((role) => !roles.some((revoked) => isSameRole(role, revoked)))
    await this.#store.replace(NAMESPACE, { ...existing, roles: kept })
  }

  async drop(database: string, user: string): Promise<void> {
    this.#findOrThrow(database, user)
    await this.#store.remove(NAMESPACE, `${database}.${user}`)
  }

  #findOrThrow(database: string, user: string): User & Document {
    const existing = this.find(database, user)
    if (!existing) throw new MongoFailure('UserNotFound', `User '${user}@${database}' not found`)
    return existing
  }
}
