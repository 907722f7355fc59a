/** Data stores: the programs of their pods, and the clients of those who use them. Each is loaded only when asked for. */
import type { StartStoreServer, StoreClient, StoreClientOptions } from '../ports/index.ts'

type CreateStoreClient = (options: StoreClientOptions) => StoreClient

/** A process has one store at most: what the others need must not weigh on it. */
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

const load = <T>(loaders: Readonly<Record<string, () => Promise<T>>>, wire: string): Promise<T> => {
  const loader = loaders[wire]
  if (loader === undefined) throw new Error(`There is no store that speaks ${wire}.`)
  return loader()
}

/** The program of a store's pod. */
export const loadStoreServer = async (wire: string): Promise<StartStoreServer> => load(SERVERS, wire)

/** What talks to a store. */
export const loadStoreClient = async (wire: string): Promise<CreateStoreClient> => load(CLIENTS, wire)

/** What the shell needs: one connection, without a pool. */
export const loadMongoShell = async () => {
  const { openMongoConnection } = await import('./mongodb/mongo-connection.ts')
  const { ObjectId } = await import('./mongodb/bson.ts')
  return { openMongoConnection, ObjectId }
}

export { rabbitmqDoorIn } from './amqp/rabbitmq-door.ts'
export { isNumeric, type MysqlConnection, openMysqlConnection } from './mysql/mysql-connection.ts'
export { MysqlError } from './mysql/mysql-error.ts'
export { openRedisConnection, type RedisConnection } from './redis/create-redis-client.ts'
export { RedisError, Status } from './redis/resp.ts'
