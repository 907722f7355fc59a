/** Data stores: the programs of their pods, and the clients of those who use them. Each is loaded only when asked for. */
import type { StartStoreServer, StoreClient, StoreClientOptions } from '../ports/index.ts'

type CreateStoreClient = (options: StoreClientOptions) => StoreClient

/** A process has one store at most: what the others need must not weigh on it. */
const SERVERS: Readonly<Record<string, () => Promise<StartStoreServer>>> = {
  redis: async () => (await import('./redis/start-redis-server.ts')).startRedisServer,
}

const CLIENTS: Readonly<Record<string, () => Promise<CreateStoreClient>>> = {
  redis: async () => (await import('./redis/create-redis-client.ts')).createRedisClient,
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

export { openRedisConnection, type RedisConnection } from './redis/create-redis-client.ts'
export { RedisError, Status } from './redis/resp.ts'
