/** Data stores: a server and a client for each protocol, loaded on first use. */
import type { StartStoreServer, StoreClient, StoreClientOptions } from '#world/twin/ports'

type CreateStoreClient = (options: StoreClientOptions) => StoreClient

/** Loaders of the servers: a process runs at most one store and must not load the code of the others. */
const SERVERS: Readonly<Record<string, () => Promise<StartStoreServer>>> = {
  memcached: async () => (await import('./memcached/start-memcached-server.ts')).startMemcachedServer,
  mysql: async () => (await import('./mysql/start-mysql-server.ts')).startMysqlServer,
  redis: async () => (await import('./redis/start-redis-server.ts')).startRedisServer,
  mongodb: async () => (await import('./mongodb/start-mongodb-server.ts')).startMongodbServer,
  amqp: async () => (await import('./amqp/start-amqp-server.ts')).startAmqpServer,
}

const CLIENTS: Readonly<Record<string, () => Promise<CreateStoreClient>>> = {
  memcached: async () => (await import('./memcached/create-memcached-client.ts')).createMemcachedClient,
  mysql: async () => (await import('./mysql/create-mysql-client.ts')).createMysqlClient,
  redis: async () => (await import('./redis/create-redis-client.ts')).createRedisClient,
  mongodb: async () => (await import('./mongodb/create-mongodb-client.ts')).createMongodbClient,
  amqp: async () => (await import('./amqp/create-amqp-client.ts')).createAmqpClient,
}

const load = <T>(loaders: Readonly<Record<string, () => Promise<T>>>, protocol: string): Promise<T> => {
  const loader = loaders[protocol]
  if (loader === undefined) throw new Error(`No store supports the protocol "${protocol}".`)
  return loader()
}

/** Loads the server of a store. */
export const loadStoreServer = async (protocol: string): Promise<StartStoreServer> => load(SERVERS, protocol)

/** Loads the client of a store. */
export const loadStoreClient = async (protocol: string): Promise<CreateStoreClient> => load(CLIENTS, protocol)

/** Loads the parts of all stores that need no sockets, for stores in simulated containers. */
export const loadStoreCores = async () => ({
  amqp: await import('./amqp/core.ts'),
  memcached: await import('./memcached/core.ts'),
  mongodb: await import('./mongodb/core.ts'),
  mysql: { ...(await import('./mysql/core.ts')), sqlite: await import('node:sqlite') },
  redis: await import('./redis/core.ts'),
})

/** Loads the parts of the MongoDB client that the shell uses: one connection without a pool, and ids. */
export const loadMongoConnection = async () => {
  const { openMongoConnection } = await import('./mongodb/open-mongo-connection.ts')
  const { ObjectId } = await import('./mongodb/bson.ts')
  return { openMongoConnection, ObjectId }
}

/** Loads the function that lists the actions that MongoDB roles permit. */
export const loadMongoActions = async () => (await import('./mongodb/roles.ts')).actionsOf

export { CallFailure, type StoreClient, type StoreLogin } from '#world/twin/ports'
export type { ControlAnswer } from './amqp/control-commands.ts'
export { toControlSocketPath } from './amqp/control-socket-path.ts'
export type { ByteStream } from './byte-stream.ts'
export type { MemcachedConnection } from './memcached/memcached-client-over.ts'
export type { Document as MongoDocument } from './mongodb/bson.ts'
export type { MongoConnection, MongoTransport } from './mongodb/mongo-connection.ts'
export type { ScramSource } from './mongodb/scram.ts'
export type { ClientSession as MysqlSession } from './mysql/client-session.ts'
export { isNumeric, type MysqlConnection, type QueryResult as MysqlResult } from './mysql/mysql-connection.ts'
export { MysqlError } from './mysql/mysql-error.ts'
export { openMysqlConnection } from './mysql/open-mysql-connection.ts'
export { openRedisConnection } from './redis/create-redis-client.ts'
export type { RedisConnection } from './redis/redis-client-over.ts'
export { RedisError, type Reply as RedisReply, Status } from './redis/resp.ts'
export type { StoreHost } from './store-host.ts'
