/** The clients of a process: one for each upstream, made when it is first called. */
import type { Upstream, Wire } from '../../spec/index.ts'
import type {
  BrokerClient,
  ClientOptions,
  Retry,
  ServiceClient,
  StoreClient,
  StoreLogin,
  Tracer,
} from '../ports/index.ts'
import { loadRegistryClient, type RegistryClient, type RegistryWire } from '../registries/index.ts'
import { loadStoreClient } from '../stores/index.ts'
import { loadServiceClient, type ServiceWire } from '../wires/index.ts'
import { type Address, parseAddress } from './address.ts'
import { createLazyClients } from './lazy-clients.ts'
import { observeRegistry } from './observe-registry.ts'
import type { Settings } from './settings.ts'
import { StartFailure } from './start-failure.ts'

export interface Upstreams {
  serviceClient(name: string): Promise<ServiceClient>
  storeClient(name: string): Promise<StoreClient>
  brokerClient(name: string): Promise<BrokerClient>
  registryClient(name: string): Promise<RegistryClient>
  timeoutOf(name: string): number | undefined
  retryOf(name: string): Retry | undefined
  /** Makes all clients, so that the first request need not wait for that; none connects yet. */
  warm(): Promise<void>
  /** Takes back what was registered. */
  closeRegistries(): Promise<void>
  close(): Promise<void>
}

/** As the environment and the files had it when the process began. */
interface UpstreamSettings {
  readonly wire: Wire
  readonly address: string
  readonly port: number
  readonly timeoutMs: number | undefined
  readonly poolSize: number | undefined
  readonly poolWaitMs: number | undefined
  readonly retry: Retry | undefined
  readonly login: StoreLogin | undefined
  readonly registry: string | undefined
}

const USUAL_PORT = 8080

const isServiceWire = (wire: Wire): boolean => wire === 'http' || wire === 'grpc' || wire === 'thrift'
const isRegistryWire = (wire: Wire): boolean => wire === 'nacos' || wire === 'consul' || wire === 'jaeger'

const evaluateLogin = ({ login }: Upstream, where: string, settings: Settings): StoreLogin | undefined => {
  if (login === undefined) return undefined
  const text = (source: string, name: string): string =>
    String(settings.evaluate(source, `${where}.login.${name}`))
  return {
    user: text(login.user, 'user'),
    password: text(login.password, 'password'),
    ...(login.database === undefined ? {} : { database: text(login.database, 'database') }),
  }
}

const checkPool = (size: number | undefined): number | undefined => {
  if (size === undefined || size >= 1) return size
  throw new StartFailure(`maximum pool size is ${size}, and cannot be less than 1`)
}

const evaluateUpstream = (name: string, upstream: Upstream, settings: Settings): UpstreamSettings => {
  const where = `upstreams.${name}`
  const known = settings.slice.wires[name]
  const port = known?.port ?? USUAL_PORT
  const optional = (source: string | undefined, field: string): number | undefined =>
    source === undefined ? undefined : settings.number(source, `${where}.${field}`)
  return {
    wire: upstream.wire ?? known?.wire ?? 'http',
    address:
      upstream.address === undefined
        ? `${name}:${port}`
        : String(settings.evaluate(upstream.address, `${where}.address`)),
    port,
    timeoutMs: optional(upstream.timeout, 'timeout'),
    poolSize: checkPool(optional(upstream.pool?.size, 'pool.size')),
    poolWaitMs: optional(upstream.pool?.waitMs, 'pool.waitMs'),
    retry:
      upstream.retry === undefined
        ? undefined
        : {
            attempts: optional(upstream.retry.attempts, 'retry.attempts')!,
            backoffMs: optional(upstream.retry.backoffMs, 'retry.backoffMs') ?? 0,
          },
    login: evaluateLogin(upstream, where, settings),
    registry: upstream.registry,
  }
}

const evaluateAll = (settings: Settings): ReadonlyMap<string, UpstreamSettings> => {
  const { behaviour, wires } = settings.slice
  const named = {
    ...Object.fromEntries(Object.keys(wires).map((name) => [name, {}])),
    ...behaviour.upstreams,
  }
  return new Map(
    Object.entries(named).map(([name, upstream]) => [name, evaluateUpstream(name, upstream, settings)]),
  )
}

/** Throws a StartFailure where an address, a size or a login cannot be evaluated. */
export const createUpstreams = (settings: Settings, tracer: Tracer): Upstreams => {
  const known = evaluateAll(settings)
  const settingsOf = (name: string): UpstreamSettings => {
    const found = known.get(name)
    if (found === undefined) throw new Error(`${settings.slice.service} has no upstream ${name}`)
    return found
  }
  const find = async (name: string): Promise<Address> => {
    const { address, port, registry } = settingsOf(name)
    if (registry === undefined) return parseAddress(address, port)
    const asked = settings.slice.wires[name]?.registeredAs ?? name
    return (await registries.get(registry)).resolve(asked)
  }
  const optionsOf = (name: string): ClientOptions => {
    const { poolSize, poolWaitMs } = settingsOf(name)
    return {
      address: () => find(name),
      ...(poolSize === undefined ? {} : { poolSize }),
      ...(poolWaitMs === undefined ? {} : { poolWaitMs }),
    }
  }

  const services = createLazyClients(async (name) => {
    const create = await loadServiceClient(settingsOf(name).wire as ServiceWire)
    return create(optionsOf(name))
  })
  const stores = createLazyClients(async (name) => {
    const { wire, login } = settingsOf(name)
    const create = await loadStoreClient(wire)
    return create({ ...optionsOf(name), ...(login === undefined ? {} : { login }) })
  })
  const registries = createLazyClients(async (name) => {
    const { wire, address, port } = settingsOf(name)
    const create = await loadRegistryClient(wire as RegistryWire)
    const addresses = address.split(',').map((one) => parseAddress(one.trim(), port))
    return create({ addresses, observe: observeRegistry(name, tracer) })
  })

  return {
    serviceClient: services.get,
    storeClient: stores.get,
    brokerClient: (name) => stores.get(name) as Promise<BrokerClient>,
    registryClient: registries.get,
    timeoutOf: (name) => known.get(name)?.timeoutMs,
    retryOf: (name) => known.get(name)?.retry,
    warm: async () => {
      for (const [name, { wire }] of known) {
        const clients = isServiceWire(wire) ? services : isRegistryWire(wire) ? undefined : stores
        await clients?.get(name).catch(() => {})
      }
    },
    closeRegistries: registries.close,
    close: async () => {
      await Promise.all([services.close(), stores.close()])
    },
  }
}
