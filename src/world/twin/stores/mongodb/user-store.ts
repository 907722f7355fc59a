/** The users of a server, with their credentials and roles. */
import { Binary, type Document } from './bson.ts'
import type { DocumentStore } from './document-store.ts'
import { MongoFailure } from './mongo-failure.ts'
import { isSameRole, type Role } from './roles.ts'
import { type Credential, createCredential, MECHANISMS, type Mechanism, type ScramSource } from './scram.ts'

export interface User {
  readonly user: string
  readonly db: string
  readonly roles: readonly Role[]
  readonly credentials: Readonly<Partial<Record<Mechanism, Credential>>>
}

const NAMESPACE = 'admin.system.users'

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
