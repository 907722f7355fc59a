/** The users of a server: who they are, how they prove it, and what their roles let them do. */
import { randomUUID } from 'node:crypto'
import { Binary, type Document } from './bson.ts'
import type { DocumentStore } from './document-store.ts'
import { MongoFailure } from './mongo-failure.ts'
import { type Credential, createCredential, MECHANISMS, type Mechanism } from './scram.ts'

/** What a command needs of the database it is about; `none` is open to everybody who can connect. */
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

/** Granted in `admin`, they hold for all databases. */
const EVERYWHERE: Record<string, readonly Action[]> = {
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

/** Whether one of the roles lets somebody do this in that database. */
export const mayDo = (roles: readonly Role[], action: Action, database: string): boolean =>
  roles.some(
    ({ role, db }) =>
      (db === 'admin' && EVERYWHERE[role]?.includes(action)) ||
      (db === database && ACTIONS[role]?.includes(action)),
  )

/** `"readWrite"` is a role of the database at hand. */
export const toRoles = (roles: unknown, database: string): Role[] => {
  if (!Array.isArray(roles)) throw new MongoFailure('TypeMismatch', '"roles" had the wrong type')
  return roles.map((role) => {
    const named: Role = typeof role === 'string' ? { role, db: database } : role
    if (!(named.role in ACTIONS) && !(named.role in EVERYWHERE))
      throw new MongoFailure('RoleNotFound', `Could not find role: ${named.role}@${named.db}`)
    return { role: named.role, db: named.db }
  })
}

const sameRole = (left: Role, right: Role): boolean => left.role === right.role && left.db === right.db

const createCredentials = async (user: string, password: unknown): Promise<User['credentials']> => {
  if (typeof password !== 'string' || password === '')
    throw new MongoFailure('BadValue', 'Password cannot be empty')
  const made = await Promise.all(
    MECHANISMS.map(async (mechanism) => [mechanism, await createCredential(mechanism, user, password)]),
  )
  return Object.fromEntries(made)
}

export class UserStore {
  readonly #store: DocumentStore

  constructor(store: DocumentStore) {
    this.#store = store
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
    const userId = new Binary(Buffer.from(randomUUID().replaceAll('-', ''), 'hex'), 4)
    const credentials = await createCredentials(user, password)
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
    const present = this.#require(database, user)
    const credentials =
      change.password === undefined ? present.credentials : await createCredentials(user, change.password)
    await this.#store.replace(NAMESPACE, { ...present, credentials, roles: change.roles ?? present.roles })
  }

  async grant(database: string, user: string, roles: readonly Role[]): Promise<void> {
    const present = this.#require(database, user)
    const added = roles.filter((role) => !present.roles.some((other) => sameRole(role, other)))
    await this.#store.replace(NAMESPACE, { ...present, roles: [...present.roles, ...added] })
  }

  async revoke(database: string, user: string, roles: readonly Role[]): Promise<void> {
    const present = this.#require(database, user)
    const kept = present.roles.filter((role) => !roles.some((other) => sameRole(role, other)))
    await this.#store.replace(NAMESPACE, { ...present, roles: kept })
  }

  async drop(database: string, user: string): Promise<void> {
    this.#require(database, user)
    await this.#store.remove(NAMESPACE, `${database}.${user}`)
  }

  #require(database: string, user: string): User & Document {
    const present = this.find(database, user)
    if (!present) throw new MongoFailure('UserNotFound', `User '${user}@${database}' not found`)
    return present
  }
}
