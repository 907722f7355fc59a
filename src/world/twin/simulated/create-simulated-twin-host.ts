/** The host of a twin in a simulated container: its protocols run on the network of the container. */
import type { ProgramHost, Protocol } from '#spec'
import type {
  CreateServiceClient,
  CreateStoreClient,
  ServiceProtocol,
  StartServiceServer,
  StartStoreServer,
  TwinHost,
  TwinProtocols,
} from '#world/twin/ports'
import { loadRegistryCores } from '#world/twin/registries'
import { createSimulatedGrpcClient } from './grpc/create-simulated-grpc-client.ts'
import { startSimulatedGrpcServer } from './grpc/start-simulated-grpc-server.ts'
import { createSimulatedHttpClient } from './http/create-simulated-http-client.ts'
import { startSimulatedHttpServer } from './http/start-simulated-http-server.ts'
import { createSimulatedMysqlClient } from './stores/create-simulated-mysql-client.ts'
import { createSimulatedAmqpClient, startSimulatedAmqp } from './stores/simulated-amqp.ts'
import { createSimulatedMemcachedClient, startSimulatedMemcached } from './stores/simulated-memcached.ts'
import { createSimulatedMongodbClient, startSimulatedMongodb } from './stores/simulated-mongodb.ts'
import { createSimulatedRedisClient, startSimulatedRedis } from './stores/simulated-redis.ts'
import { startSimulatedMysql } from './stores/start-simulated-mysql.ts'
import { createSimulatedThriftClient } from './thrift/create-simulated-thrift-client.ts'
import { startSimulatedThriftServer } from './thrift/start-simulated-thrift-server.ts'

/** Binds a function to its host. */
type OnHost<F> = F extends (options: infer O) => infer R ? (host: ProgramHost, options: O) => R : never

const SERVICE_SERVERS: Readonly<Record<ServiceProtocol, OnHost<StartServiceServer>>> = {
  http: startSimulatedHttpServer,
  grpc: startSimulatedGrpcServer,
  thrift: startSimulatedThriftServer,
}

const SERVICE_CLIENTS: Readonly<Record<ServiceProtocol, OnHost<CreateServiceClient>>> = {
  http: createSimulatedHttpClient,
  grpc: createSimulatedGrpcClient,
  thrift: createSimulatedThriftClient,
}

const STORE_SERVERS: Readonly<Partial<Record<Protocol, OnHost<StartStoreServer>>>> = {
  amqp: startSimulatedAmqp,
  memcached: startSimulatedMemcached,
  mongodb: startSimulatedMongodb,
  mysql: startSimulatedMysql,
  redis: startSimulatedRedis,
}

const STORE_CLIENTS: Readonly<Partial<Record<Protocol, OnHost<CreateStoreClient>>>> = {
  amqp: createSimulatedAmqpClient,
  memcached: createSimulatedMemcachedClient,
  mongodb: createSimulatedMongodbClient,
  mysql: createSimulatedMysqlClient,
  redis: createSimulatedRedisClient,
}

const REGISTRY_CORES = await loadRegistryCores()

/** The simulated trace store receives no spans from agents, because no program in a simulated container reads them. */
const REGISTRY_SERVERS = {
  nacos: REGISTRY_CORES.startNacosServer,
  consul: REGISTRY_CORES.startConsulServer,
  jaeger: REGISTRY_CORES.startJaegerServer,
}

const REGISTRY_CLIENTS = {
  nacos: REGISTRY_CORES.createNacosClient,
  consul: REGISTRY_CORES.createConsulClient,
}

const find = <T>(table: Readonly<Partial<Record<string, T>>>, protocol: string): T => {
  const found = table[protocol]
  if (found === undefined) throw new Error(`No store supports the protocol "${protocol}".`)
  return found
}

const createProtocols = (host: ProgramHost): TwinProtocols => {
  const { time, random } = host
  const protocols: TwinProtocols = {
    serviceServer: async (protocol) => (options) => SERVICE_SERVERS[protocol](host, options),
    serviceClient: async (protocol) => (options) => SERVICE_CLIENTS[protocol](host, options),
    storeServer: async (protocol) => {
      const start = find(STORE_SERVERS, protocol)
      return (options) => start(host, options)
    },
    storeClient: async (protocol) => {
      const create = find(STORE_CLIENTS, protocol)
      return (options) => create(host, options)
    },
    registryServer: async (protocol) => (options) => {
      // All registries serve HTTP. A slow release delays its requests.
      const serviceServer = async (): Promise<StartServiceServer> => (serve) =>
        startSimulatedHttpServer(host, serve, options.slowMs)
      const registryHost = { time, random, protocols: { ...protocols, serviceServer } }
      return REGISTRY_SERVERS[protocol](registryHost, options)
    },
    registryClient: async (protocol) => (options) =>
      REGISTRY_CLIENTS[protocol]({ time, random, protocols }, options),
  }
  return protocols
}

/** A simulated container loses neither spans nor log lines, and its descriptors are not counted. */
const COUNTS = { droppedSpans: 0, droppedLines: 0, openDescriptors: 0 }

export const createSimulatedTwinHost = (host: ProgramHost): TwinHost => {
  const { time, cpu, memory, files, random, network, environment } = host
  return {
    time,
    cpu,
    memory,
    files,
    random,
    pod: environment.HOSTNAME ?? '',
    address: network.address,
    protocols: createProtocols(host),
    write: (line) => host.write(line),
    exportSpan: (span) => host.exportSpan(span),
    counts: () => COUNTS,
  }
}
