/** What `db` is in the shell: its words do nothing but say which command is meant. */

/** A command for the server, and how its answer is shown. */
export class ShellCommand {
  readonly command: Record<string, any>
  /** That of the statement where absent. */
  readonly database: string | undefined
  readonly shows: 'reply' | 'documents' | 'first' | 'users' | 'names' | 'count'

  constructor(command: Record<string, any>, shows: ShellCommand['shows'] = 'reply', database?: string) {
    this.command = command
    this.shows = shows
    this.database = database
  }

  #with(change: object, shows = this.shows): ShellCommand {
    return new ShellCommand({ ...this.command, ...change }, shows, this.database)
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

/** A login that the script asks for. */
export class ShellLogin {
  readonly user: string
  readonly password: string

  constructor(user: string, password: string) {
    this.user = user
    this.password = password
  }
}

type Filter = object | undefined

const collectionWords = (name: string, database: string | undefined) => {
  const command = (words: Record<string, any>, shows?: ShellCommand['shows']) =>
    new ShellCommand(words, shows, database)
  const update = (q: Filter, u: object, options: { multi?: boolean; upsert?: boolean } = {}) =>
    command({ update: name, updates: [{ q: q ?? {}, u, ...options }] })
  const insert = (documents: object | object[]) =>
    command({ insert: name, documents: Array.isArray(documents) ? documents : [documents] })
  const remove = (q: Filter, limit: number) => command({ delete: name, deletes: [{ q: q ?? {}, limit }] })
  const count = (query: Filter) => command({ count: name, query: query ?? {} }, 'count')
  return {
    find: (filter: Filter, projection?: object) =>
      command({ find: name, filter: filter ?? {}, ...(projection && { projection }) }, 'documents'),
    findOne: (filter: Filter, projection?: object) =>
      command({ find: name, filter: filter ?? {}, limit: 1, ...(projection && { projection }) }, 'first'),
    count,
    countDocuments: count,
    estimatedDocumentCount: () => count({}),
    aggregate: (pipeline: object[]) => command({ aggregate: name, pipeline, cursor: {} }, 'documents'),
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
    drop: () => command({ drop: name }),
    createIndex: (key: object, options: object = {}) =>
      command({
        createIndexes: name,
        indexes: [{ key, name: Object.entries(key).flat().join('_'), ...options }],
      }),
    getIndexes: () => command({ listIndexes: name }, 'documents'),
  }
}

const userWords = (database: string | undefined) => {
  const command = (words: Record<string, any>, shows?: ShellCommand['shows']) =>
    new ShellCommand(words, shows, database)
  return {
    createUser: ({ user, ...rest }: { user: string }) => command({ createUser: user, ...rest }),
    updateUser: (user: string, change: object) => command({ updateUser: user, ...change }),
    changeUserPassword: (user: string, pwd: string) => command({ updateUser: user, pwd }),
    dropUser: (user: string) => command({ dropUser: user }),
    grantRolesToUser: (user: string, roles: unknown[]) => command({ grantRolesToUser: user, roles }),
    revokeRolesFromUser: (user: string, roles: unknown[]) => command({ revokeRolesFromUser: user, roles }),
    getUsers: () => command({ usersInfo: 1 }, 'users'),
    getUser: (user: string) => command({ usersInfo: user }, 'users'),
    auth: (user: string | { user: string; pwd: string }, password = '') =>
      typeof user === 'string' ? new ShellLogin(user, password) : new ShellLogin(user.user, user.pwd),
  }
}

/** Every name that is no word is a collection. */
export const createDatabaseWords = (database?: string): object => {
  const words: Record<string, unknown> = {
    ...userWords(database),
    runCommand: (command: object | string) =>
      new ShellCommand(typeof command === 'string' ? { [command]: 1 } : { ...command }, 'reply', database),
    adminCommand: (command: object | string) =>
      new ShellCommand(typeof command === 'string' ? { [command]: 1 } : { ...command }, 'reply', 'admin'),
    getSiblingDB: (name: string) => createDatabaseWords(name),
    getCollection: (name: string) => collectionWords(name, database),
    getCollectionNames: () => new ShellCommand({ listCollections: 1 }, 'names', database),
    serverStatus: () => new ShellCommand({ serverStatus: 1 }, 'reply', database),
    stats: () => new ShellCommand({ dbStats: 1 }, 'reply', database),
    version: () => new ShellCommand({ buildInfo: 1 }, 'reply', database),
    dropDatabase: () => new ShellCommand({ dropDatabase: 1 }, 'reply', database),
  }
  return new Proxy(words, {
    get: (_, name) =>
      typeof name !== 'string' ? undefined : (words[name] ?? collectionWords(name, database)),
  })
}
