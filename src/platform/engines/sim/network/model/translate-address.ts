/** Translates the address and port that a program dials: a Service to one of its endpoints, a host port to its pod. */
import { addressNumber, DNS_ADDRESS, parsePeer, SERVICE_RANGE } from '#platform/kube/simulated'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import type { NetworkState } from './network-state.ts'
import type { ServicePortEntry } from './service-table.ts'

export interface Target {
  readonly server: Endpoint
  readonly port: number
  /** The dialled address. */
  readonly destination: string
  /** The address of the client as the server sees it. */
  readonly source: string
  /** Whether packets stay inside the network namespace of the client. */
  readonly isLocal: boolean
}

/** A port of a node that is forwarded to a pod. */
export interface HostPortTarget {
  readonly server: Endpoint
  readonly port: number
}

export interface AddressTranslator {
  translate(client: Endpoint, address: string, port: number): Target
  /** Keys are `address:port`. */
  readonly hostPorts: Map<string, HostPortTarget>
}

const SERVICE_ADDRESSES = parsePeer(SERVICE_RANGE)

const isServiceAddress = (address: string): boolean =>
  address !== DNS_ADDRESS && SERVICE_ADDRESSES.contains(addressNumber(address))

interface Affinity {
  readonly ip: string
  readonly port: number
  until: number
}

type Backend = ServicePortEntry['backends'][number]

/** `addressOfNode` returns the address of a node by its name. */
export const createAddressTranslator = (
  network: NetworkState,
  addressOfNode: (node: string) => string,
): AddressTranslator => {
  /** The endpoints of clients with session affinity, by port of a Service and client. */
  const affinities = new Map<string, Affinity>()
  const hostPorts = new Map<string, HostPortTarget>()

  const stickTo = (key: string, seconds: number, backends: readonly Backend[]): Backend => {
    const until = network.clock.now() + seconds * 1000
    const last = affinities.get(key)
    const kept =
      last !== undefined && last.until > network.clock.now()
        ? backends.find(({ ip, port }) => ip === last.ip && port === last.port)
        : undefined
    const chosen = kept ?? backends[network.choices.below(backends.length)]!
    affinities.set(key, { ip: chosen.ip, port: chosen.port, until })
    return chosen
  }

  const chooseBackend = (client: Endpoint, { port, backends }: ServicePortEntry): Backend | undefined => {
    const usable = port.internalLocal ? backends.filter(({ nodeName }) => nodeName === client.node) : backends
    if (usable.length <= 1) return usable[0]
    if (port.affinitySeconds !== undefined)
      return stickTo(`${port.key}/${client.address}`, port.affinitySeconds, usable)
    return usable[network.choices.below(usable.length)]
  }

  /** The server sees the node if the client used a port of the node, or if the client is the server itself. */
  const sourceOf = (client: Endpoint, server: Endpoint, throughNode: string | undefined): string => {
    if (throughNode !== undefined) return addressOfNode(throughNode)
    return client === server && client.node !== undefined ? addressOfNode(client.node) : client.address
  }

  const toService = (client: Endpoint, address: string, entry: ServicePortEntry): Target => {
    const unanswered = (kind: 'refusing' | 'silent' | 'missing', port: number): Target => ({
      server: createEndpoint(kind, address),
      port,
      destination: address,
      source: client.address,
      isLocal: false,
    })
    if (entry.backends.length === 0) return unanswered('refusing', entry.port.port)
    const backend = chooseBackend(client, entry)
    if (backend === undefined) return unanswered('silent', entry.port.port)
    const server = network.endpoints.get(backend.ip)
    if (server === undefined) return unanswered('missing', backend.port)
    return {
      server,
      port: backend.port,
      destination: address,
      source: sourceOf(client, server, entry.throughNode),
      isLocal: false,
    }
  }

  const toAddress = (client: Endpoint, address: string, port: number): Target => {
    const isLocal = address.startsWith('127.') || address === client.address
    const known = isLocal ? client : network.endpoints.get(address)
    const server = known ?? createEndpoint(isServiceAddress(address) ? 'refusing' : 'missing', address)
    const source = isLocal ? address : client.address
    return { server, port, destination: address, source, isLocal }
  }

  return {
    hostPorts,
    translate(client, address, port) {
      const entry = network.services.find(address, port)
      if (entry !== undefined) return toService(client, address, entry)
      const hostPort = hostPorts.get(`${address}:${port}`)
      if (hostPort === undefined) return toAddress(client, address, port)
      return {
        ...hostPort,
        destination: address,
        source: sourceOf(client, hostPort.server, undefined),
        isLocal: false,
      }
    },
  }
}
