/** Commands about collections, indexes and databases. */
import type { Document } from '../bson.ts'
import { matchesFilter } from '../match-filter.ts'
import { MongoFailure } from '../mongo-failure.ts'
import { isAuthorized } from '../roles.ts'
import { type Command, type CommandContext, namespaceOf } from './command.ts'

const ID_INDEX = { v: 2, key: { _id: 1 }, name: '_id_' }

const collectionsOf = ({ store, database }: CommandContext): string[] =>
  store
    .namespaces()
    .filter((namespace) => namespace.startsWith(`${database}.`))
    .map((namespace) => namespace.slice(database.length + 1))

const defaultIndexName = (key: Document): string =>
  Object.entries(key)
    .map(([path, direction]) => `${path}_${direction}`)
    .join('_')

const createIndexes: Command = {
  action: 'schema',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.createIndexes)
    const collection = context.store.collection(namespace)
    const before = (collection?.indexes.length ?? 0) + 1
    const specs = command.indexes as readonly Document[]
    await Promise.all(
      specs.map(({ key, name = defaultIndexName(key), unique = false }) =>
        context.store.addIndex(namespace, { name, key, unique: Boolean(unique) }),
      ),
    )
    const after = (context.store.collection(namespace)?.indexes.length ?? 0) + 1
    return {
      createdCollectionAutomatically: !collection,
      numIndexesBefore: before,
      numIndexesAfter: after,
    }
  },
}

const listIndexes: Command = {
  action: 'read',
  run: (context, command) => {
    const namespace = namespaceOf(context, command.listIndexes)
    const collection = context.store.collection(namespace)
    if (!collection) throw new MongoFailure('NamespaceNotFound', `ns does not exist: ${namespace}`)
    const indexes = collection.indexes.map(({ name, key, unique }) => ({
      v: 2,
      key,
      name,
      ...(unique && { unique }),
    }))
    return context.cursors.begin(namespace, [ID_INDEX, ...indexes], command.cursor?.batchSize)
  },
}

const dropIndexes: Command = {
  action: 'schema',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.dropIndexes)
    const collection = context.store.collection(namespace)
    if (!collection) throw new MongoFailure('NamespaceNotFound', `ns not found ${namespace}`)
    const { indexes } = collection
    const removed = indexes.filter(({ name }) => command.index === '*' || command.index === name)
    await Promise.all(removed.map(({ name }) => context.store.removeIndex(namespace, name)))
    return { nIndexesWas: indexes.length + 1 }
  },
}

const create: Command = {
  action: 'schema',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.create)
    if (context.store.collection(namespace))
      throw new MongoFailure('NamespaceExists', `Collection already exists. NS: ${namespace}`)
    await context.store.create(namespace)
    return {}
  },
}

const drop: Command = {
  action: 'schema',
  run: async (context, command) => {
    const namespace = namespaceOf(context, command.drop)
    const collection = context.store.collection(namespace)
    if (!collection) throw new MongoFailure('NamespaceNotFound', 'ns not found')
    await context.store.drop(namespace)
    return { nIndexesWas: collection.indexes.length + 1, ns: namespace }
  },
}

const dropDatabase: Command = {
  action: 'schema',
  run: async (context) => {
    const names = collectionsOf(context).filter((name) => !name.startsWith('system.'))
    await Promise.all(names.map((name) => context.store.drop(namespaceOf(context, name))))
    return { dropped: context.database }
  },
}

const listCollections: Command = {
  action: 'read',
  run: (context, command) => {
    const all = collectionsOf(context).map((name) => ({
      name,
      type: 'collection',
      options: {},
      info: { readOnly: false },
      idIndex: ID_INDEX,
    }))
    const found = all.filter((collection) => matchesFilter(collection, command.filter ?? {}))
    return context.cursors.begin(`${context.database}.$cmd.listCollections`, found, command.cursor?.batchSize)
  },
}

/** If the server has users, lists only the databases that the client may read. */
const listDatabases: Command = {
  action: 'none',
  run: ({ store, users, session, database }) => {
    if (database !== 'admin')
      throw new MongoFailure('Unauthorized', 'listDatabases may only be run against the admin database.')
    const roles = [...session.authenticated.values()].flatMap(
      ({ db, user }) => users.find(db, user)?.roles ?? [],
    )
    const names = new Set(['admin', ...store.namespaces().map((namespace) => namespace.split('.')[0]!)])
    const databases = [...names]
      .filter((name) => users.count === 0 || isAuthorized(roles, 'read', name))
      .sort()
      .map((name) => ({ name, sizeOnDisk: 0, empty: false }))
    return { databases, totalSize: 0 }
  },
}

const dbStats: Command = {
  action: 'read',
  run: (context) => {
    const names = collectionsOf(context)
    const objects = names.reduce(
      (sum, name) => sum + context.store.collection(namespaceOf(context, name))!.size,
      0,
    )
    return { db: context.database, collections: names.length, objects }
  },
}

const collStats: Command = {
  action: 'read',
  run: (context, command) => {
    const ns = namespaceOf(context, command.collStats)
    const collection = context.store.collection(ns)
    return { ns, count: collection?.size ?? 0, nindexes: (collection?.indexes.length ?? 0) + 1 }
  },
}

/** Checks the file of all collections. */
const validate: Command = {
  action: 'read',
  run: async (context, command) => {
    const ns = namespaceOf(context, command.validate)
    const collection = context.store.collection(ns)
    if (!collection)
      throw new MongoFailure('NamespaceNotFound', `Collection '${ns}' does not exist to validate.`)
    const valid = await context.store.isIntact()
    const errors = valid ? [] : ['the journal has other content than the collections']
    return { ns, nrecords: collection.size, nIndexes: collection.indexes.length + 1, valid, errors }
  },
}

export const SCHEMA_COMMANDS: Readonly<Record<string, Command>> = {
  createIndexes,
  listIndexes,
  dropIndexes,
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
  dbStats,
  collStats,
  validate,
}
