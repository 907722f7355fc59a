/** A client of a simulated store over one connection, for the laboratory, which has no host in the cluster. */
import type { ProgramConnection, ProgramRandom, ProgramTime } from '#spec'
import type { StoreClient, StoreClientOptions, StoreLogin } from '#world/twin/ports'
import { openSimulatedMysqlConnection } from './stores/create-simulated-mysql-client.ts'
import { openSimulatedMemcachedConnection } from './stores/simulated-memcached.ts'
import { openSimulatedMongoConnection } from './stores/simulated-mongodb.ts'
import { openSimulatedRedisConnection } from './stores/simulated-redis.ts'
import { STORE_CORES } from './stores/store-cores.ts'

const { memcached, mongodb, mysql, redis } = STORE_CORES

/** The caller limits the time, by closing the connection. */
const NO_TIMEOUTS: { readonly time: ProgramTime } = {
  time: { now: () => 0, monotonic: () => 0, after: () => () => {} },
}

/** The nonces of logins need not be random, because a simulated network cannot be eavesdropped. */
const FIXED: { readonly random: ProgramRandom } = {
  random: { next: () => 0, bytes: (count) => new Uint8Array(count) },
}

type CreateClient = (
  options: StoreClientOptions,
  connection: ProgramConnection,
  login: StoreLogin | undefined,
) => StoreClient

const CLIENTS: Readonly<Record<string, CreateClient>> = {
  memcached: (options, connection) =>
    memcached.createClientOver(options, NO_TIMEOUTS, () => openSimulatedMemcachedConnection(connection)),
  mongodb: (options, connection, login) =>
    mongodb.createClientOver(options, NO_TIMEOUTS, () =>
      openSimulatedMongoConnection(FIXED, connection, login),
    ),
  mysql: (options, connection, login) =>
    mysql.createClientOver(options, NO_TIMEOUTS, () => openSimulatedMysqlConnection(connection, login)),
  redis: (options, connection, login) =>
    redis.createClientOver(options, NO_TIMEOUTS, () => openSimulatedRedisConnection(connection, login)),
}

/** Logs in at the first query. The caller closes the connection. Throws if the protocol is not that of a store. */
export const openSimulatedStoreClient = (
  protocol: string,
  connection: ProgramConnection,
  login: StoreLogin | undefined,
): StoreClient => {
  const create = CLIENTS[protocol]
  if (create === undefined) throw new Error(`no simulated store supports the protocol "${protocol}"`)
  const address = (): Promise<never> => Promise.reject(new Error('the connection has ended'))
  return create({ address, poolSize: 1, ...(login === undefined ? {} : { login }) }, connection, login)
}
