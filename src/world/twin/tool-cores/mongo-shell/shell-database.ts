/** The object `db` of the shell: its methods return commands to run. */

/** A command for the server, and the part of its reply to print. */
export class ShellCommand {
  readonly command: Record<string, any>
  /** The current database by default. */
  readonly database: string | undefined
  readonly output: 'reply' | 'documents' | 'first' | 'users' | 'names' | 'count'

  constructor(command: Record<string, any>, output: ShellCommand['output'] = 'reply', database?: string) {
    this.command = command
    this.output = output
    this.database = database
  }

  #with(change: object, output = this.output): ShellCommand {
    return new ShellCommand({ ...this.command, ...change }, output, this.database)
  }

  sort(sort: object): ShellCommand {
    return this.#with({ sort })
  }

  limit(limit: number): ShellCommand {
    return this.#with({ limit })
  }

  skip(skip: number): ShellCommand {
    return this.#with({ skip })
  }

  pretty(): ShellCommand {
    return this
  }

  toArray(): ShellCommand {
    return this
  }

  count(): ShellCommand {
    const { find, filter } = this.command
    return new ShellCommand({ count: find, query: filter }, 'count', this.database)
  }
}

/** A login by `db.auth`. */
export class ShellLogin {
  readonly user: string
  readonly password: string

  constructor(user: string, password: string) {
    this.user = user
    this.password = password
  }
}

class ShellDatabase {}

class ShellCollection {}

type Filter = object | undefined

const createCollectionMethods = (name: string, database: string | undefined) => {
  const createCommand = (fields: Record<string, any>, output?: ShellCommand['output']) =>
    new ShellCommand(fields, output, database)
  const update = (q: Filter, u: object, options: { multi?: boolean; upsert?: boolean } = {}) =>
    createCommand({ update: name, updates: [{ q: q ?? {}, u, ...options }] })
  const insert = (documents: object | object[]) =>
    createCommand({ insert: name, documents: Array.isArray(documents) ? documents : [documents] })
  const remove = (q: Filter, limit: number) =>
    createCommand({ delete: name, deletes: [{ q: q ?? {}, limit }] })
  const count = (query: Filter) => createCommand({ count: name, query: query ?? {} }, 'count')
  return Object.assign(new ShellCollection(), {
    find: (filter: Filter, projection?: object) =>
      createCommand({ find: name, filter: filter ?? {}, ...(projection && { projection }) }, 'documents'),
    findOne: (filter: Filter, projection?: object) =>
      createCommand(
        { find: name, filter: filter ?? {}, limit: 1, ...(projection && { projection }) },
        'first',
      ),
    count,
    countDocuments: count,
    estimatedDocumentCount: () => count({}),
    aggregate: (pipeline: object[]) => createCommand({ aggregate: name, pipeline, cursor: {} }, 'documents'),
    insert,
    insertOne: insert,
    insertMany: insert,
    update,
    updateOne: (q: Filter, u: object, options?: { upsert?: boolean }) => update(q, u, { ...options }),
    updateMany: (q: Filter, u: object, options?: { upsert?: boolean }) =>
      update(q, u, { ...options, multi: true }),
    deleteOne: (q: Filter) => remove(q, 1),
    deleteMany: (q: Filter) => remove(q, 0),
    remove: (q: Filter) => remove(q, 0),
    drop: () => createCommand({ drop: name }),
    createIndex: (key: object, options: object = {}) =>
      createCommand({
        createIndexes: name,
        indexes: [{ key, name: Object.entries(key).flat().join('_'), ...options }],
      }),
    getIndexes: () => createCommand({ listIndexes: name }, 'documents'),
  })
}

const createUserMethods = (database: string | undefined) => {
  const createCommand = (fields: Record<string, any>, output?: ShellCommand['output']) =>
    new ShellCommand(fields, output, database)
  return {
    createUser: ({ user, ...rest }: { user: string }) => createCommand({ createUser: user, ...rest }),
    updateUser: (user: string, change: object) => createCommand({ updateUser: user, ...change }),
    changeUserPassword: (user: string, pwd: string) => createCommand({ updateUser: user, pwd }),
    dropUser: (user: string) => createCommand({ dropUser: user }),
    grantRolesToUser: (user: string, roles: unknown[]) => createCommand({ grantRolesToUser: user, roles }),
    revokeRolesFromUser: (user: string, roles: unknown[]) =>
      createCommand({ revokeRolesFromUser: user, roles }),
    getUsers: () => createCommand({ usersInfo: 1 }, 'users'),
    getUser: (user: string) => createCommand({ usersInfo: user }, 'users'),
    auth: (user: string | { user: string; pwd: string }, password = '') =>
      typeof user === 'string' ? new ShellLogin(user, password) : new ShellLogin(user.user, user.pwd),
  }
}

/** Creates `db`. Every property without a method of that name is a collection. */
export const createShellDatabase = (database?: string): object => {
  const members: object = Object.assign(new ShellDatabase(), {
    ...createUserMethods(database),
    runCommand: (command: object | string) =>
      new ShellCommand(typeof command === 'string' ? { [command]: 1 } : { ...command }, 'reply', database),
    adminCommand: (command: object | string) =>
      new ShellCommand(typeof command === 'string' ? { [command]: 1 } : { ...command }, 'reply', 'admin'),
    getSiblingDB: (name: string) => createShellDatabase(name),
    getCollection: (name: string) => createCollectionMethods(name, database),
    getCollectionNames: () => new ShellCommand({ listCollections: 1 }, 'names', database),
    serverStatus: () => new ShellCommand({ serverStatus: 1 }, 'reply', database),
    stats: () => new ShellCommand({ dbStats: 1 }, 'reply', database),
    version: () => new ShellCommand({ buildInfo: 1 }, 'reply', database),
    dropDatabase: () => new ShellCommand({ dropDatabase: 1 }, 'reply', database),
  })
  return new Proxy(members, {
    get: (_, name) => {
      if (typeof name !== 'string') return undefined
      // Not the members that every object inherits, such as `constructor`.
      return Object.hasOwn(members, name)
        ? Reflect.get(members, name)
        : createCollectionMethods(name, database)
    },
  })
}

/** The method or collection of this name; undefined if the owner is not an object of the shell, or has no such method. */
export const findShellMember = (owner: unknown, name: string): unknown => {
  if (owner instanceof ShellDatabase) return Reflect.get(owner, name)
  if (owner instanceof ShellCollection)
    return Object.hasOwn(owner, name) ? Reflect.get(owner, name) : undefined
  const isMethod =
    owner instanceof ShellCommand && name !== 'constructor' && Object.hasOwn(ShellCommand.prototype, name)
  return isMethod ? Reflect.get(owner, name) : undefined
}
