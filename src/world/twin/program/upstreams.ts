/** The clients of a process: one for each upstream, created on first use. */
import type { Protocol, Upstream } from '#spec'
import type {
  Address,
  BrokerClient,
  ClientOptions,
  RegistryClient,
  RegistryProtocol,
  Retry,
  ServiceClient,
  ServiceProtocol,
  StoreClient,
  StoreLogin,
  Tracer,
  TwinProtocols,
} from '#world/twin/ports'
import { parseAddress } from './address.ts'
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
  /** Creates the clients of services and stores without connecting them, to speed up the first request. */
  warm(): Promise<void>
  /** Deregisters this process. */
  closeRegistries(): Promise<void>
  close(): Promise<void>
}

/** The settings of an upstream, evaluated from the environment and the files when the process starts. */
interface UpstreamSettings {
  readonly protocol: Protocol
  readonly address: string
  readonly port: number
  readonly timeoutMs: number | undefined
  readonly poolSize: number | undefined
  readonly poolWaitMs: number | undefined
  readonly retry: Retry | undefined
  readonly login: StoreLogin | undefined
  readonly registry: string | undefined
}

const DEFAULT_PORT = 8080

const isServiceProtocol = (protocol: Protocol): boolean =>
  protocol === 'http' || protocol === 'grpc' || protocol === 'thrift'
const isRegistryProtocol = (protocol: Protocol): boolean =>
  protocol === 'nacos' || protocol === 'consul' || protocol === 'jaeger'

const evaluateLogin = ({ login }: Upstream, location: string, settings: Settings): StoreLogin | undefined => {
  if (login === undefined) return undefined
  const evaluateText = (source: string, name: string): string =>
    String(settings.evaluate(source, `${location}.login.${name}`))
  return {
    user: evaluateText(login.user, 'user'),
    password: evaluateText(login.password, 'password'),
    ...(login.database === undefined ? {} : { database: evaluateText(login.database, 'database') }),
  }
}

const checkPoolSize = (size: number | undefined): number | undefined => {
  if (size === undefined || size >= 1) return size
  throw new StartFailure(`maximum pool size is ${size}, and cannot be less than 1`)
}

const evaluateUpstream = (name: string, upstream: Upstream, settings: Settings): UpstreamSettings => {
  const location = `upstreams.${name}`
  const protocol = settings.slice.protocols[name]
  const port = protocol?.port ?? DEFAULT_PORT
  const evaluateOptional = (source: string | undefined, field: string): number | undefined =>
    source === undefined ? undefined : settings.evaluateNumber(source, `${location}.${field}`)
  return {
    protocol: upstream.protocol ?? protocol?.protocol ?? 'http',
    address:
      upstream.address === undefined
        ? `${name}:${port}`
        : String(settings.evaluate(upstream.address, `${location}.address`)),
    port,
    timeoutMs: evaluateOptional(upstream.timeout, 'timeout'),
    poolSize: checkPoolSize(evaluateOptional(upstream.pool?.size, 'pool.size')),
    poolWaitMs: evaluateOptional(upstream.pool?.waitMs, 'pool.waitMs'),
    retry:
      upstream.retry === undefined
        ? undefined
        : {
            attempts: evaluateOptional(upstream.retry.attempts, 'retry.attempts')!,
            backoffMs: evaluateOptional(upstream.retry.backoffMs, 'retry.backoffMs') ?? 0,
          },
    login: evaluateLogin(upstream, location, settings),
    registry: upstream.registry,
  }
}

const evaluateUpstreams = (settings: Settings): ReadonlyMap<string, UpstreamSettings> => {
  const { behaviour, protocols } = settings.slice
  const declared = {
    ...Object.fromEntries(Object.keys(protocols).map((name) => [name, {}])),
    ...behaviour.upstreams,
  }
  return new Map(
    Object.entries(declared).map(([name, upstream]) => [name, evaluateUpstream(name, upstream, settings)]),
  )
}

/** Throws a StartFailure if an address, a size or a login cannot be evaluated. */
export const createUpstreams = (settings: Settings, tracer: Tracer, protocols: TwinProtocols): Upstreams => {
  const upstreams = evaluateUpstreams(settings)
  const settingsOf = (name: string): UpstreamSettings => {
    const found = upstreams.get(name)
    if (found === undefined) throw new Error(`${settings.slice.service} has no upstream ${name}`)
    return found
  }
  const fixed = new Map<string, Promise<Address>>()
  /** Rejects if the address is invalid. */
  const fixedAddress = (name: string): Promise<Address> => {
    const known = fixed.get(name)
    if (known !== undefined) return known
    const { address, port } = settingsOf(name)
    const parsed = (async () => parseAddress(address, port))()
    parsed.catch(() => {})
    fixed.set(name, parsed)
    return parsed
  }
  const resolveAddress = async (name: string): Promise<Address> => {
    const { registry } = settingsOf(name)
    if (registry === undefined) return fixedAddress(name)
    const registeredName = settings.slice.protocols[name]?.registeredAs ?? name
    return (await registries.get(registry)).resolve(registeredName)
  }
  const optionsOf = (name: string): ClientOptions => {
    const { poolSize, poolWaitMs, registry } = settingsOf(name)
    return {
      address: () => resolveAddress(name),
      isAddressFixed: registry === undefined,
      ...(poolSize === undefined ? {} : { poolSize }),
      ...(poolWaitMs === undefined ? {} : { poolWaitMs }),
    }
  }

  const services = createLazyClients(async (name) => {
    const create = await protocols.serviceClient(settingsOf(name).protocol as ServiceProtocol)
    return create(optionsOf(name))
  })
  const stores = createLazyClients(async (name) => {
    const { protocol, login } = settingsOf(name)
    const create = await protocols.storeClient(protocol)
    return create({ ...optionsOf(name), ...(login === undefined ? {} : { login }) })
  })
  const registries = createLazyClients(async (name) => {
    const { protocol, address, port } = settingsOf(name)
    const create = await protocols.registryClient(protocol as RegistryProtocol)
    const addresses = address.split(',').map((text) => parseAddress(text.trim(), port))
    return create({ addresses, observe: observeRegistry(name, tracer) })
  })

  return {
    serviceClient: services.get,
    storeClient: stores.get,
    brokerClient: (name) => stores.get(name) as Promise<BrokerClient>,
    registryClient: registries.get,
    timeoutOf: (name) => upstreams.get(name)?.timeoutMs,
    retryOf: (name) => upstreams.get(name)?.retry,
    warm: async () => {
      for (const [name, { protocol }] of upstreams) {
        const clients = isServiceProtocol(protocol)
          ? services
          : isRegistryProtocol(protocol)
            ? undefined
            : stores
        await clients?.get(name).catch(() => {})
      }
    },
    closeRegistries: registries.close,
    close: async () => {
      await Promise.all([services.close(), stores.close()])
    },
  }
}
