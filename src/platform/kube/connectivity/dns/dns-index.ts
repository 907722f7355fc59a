/** Watches Services and endpoints, and indexes them for fast DNS lookups. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { Endpoint, EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { endpointSlices, namespaces, services } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import { serviceKeyOf } from '../services/balanced-ports.ts'

export interface NamedPort {
  readonly name: string
  /** In lowercase. */
  readonly protocol: string
  readonly port: number
}

/** A ready address behind a Service. */
export interface ServiceEndpoint {
  readonly ip: string
  /** The pod's hostname, or one derived from the address. */
  readonly hostname: string
  readonly ports: readonly NamedPort[]
}

export interface DnsIndex {
  hasNamespace(namespace: string): boolean
  serviceOf(namespace: string, name: string): Stored<Service> | undefined
  /** The endpoints that are ready, or count as ready because of publishNotReadyAddresses. */
  endpointsOf(namespace: string, name: string): readonly ServiceEndpoint[]
  /** `service.namespace` for a cluster IP, or `hostname.service.namespace` for endpoints with a hostname. */
  namesAt(ip: string): readonly string[]
  close(): void
}

const SERVICE_LABEL = 'kubernetes.io/service-name'
const NO_ENDPOINTS: readonly ServiceEndpoint[] = []

const hostnameOf = ({ hostname, addresses }: Endpoint, ip = addresses[0]!): string =>
  hostname ?? ip.replaceAll('.', '-')

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false

const endpointsIn = (slice: Stored<EndpointSlice>): ServiceEndpoint[] => {
  if (slice.addressType !== 'IPv4') return []
  const ports = (slice.ports ?? []).flatMap(({ name = '', protocol = 'TCP', port }) =>
    port === undefined ? [] : [{ name, protocol: protocol.toLowerCase(), port }],
  )
  return (slice.endpoints ?? [])
    .filter(isReady)
    .flatMap((endpoint) =>
      endpoint.addresses.map((ip) => ({ ip, hostname: hostnameOf(endpoint, ip), ports })),
    )
}

/** Maps addresses to names. A name can be added several times and must be removed as many times. */
const createNameIndex = () => {
  const names = new Map<string, string[]>()
  return {
    namesAt: (ip: string): readonly string[] => [...new Set(names.get(ip) ?? [])],
    add(ip: string, name: string): void {
      names.set(ip, [...(names.get(ip) ?? []), name])
    },
    remove(ip: string, name: string): void {
      const remaining = [...(names.get(ip) ?? [])]
      const index = remaining.indexOf(name)
      if (index < 0) return
      remaining.splice(index, 1)
      if (remaining.length === 0) names.delete(ip)
      else names.set(ip, remaining)
    },
  }
}

const namedAddresses = (slice: Stored<EndpointSlice>): [string, string][] => {
  const service = slice.metadata.labels?.[SERVICE_LABEL]
  if (service === undefined || slice.addressType !== 'IPv4') return []
  return (slice.endpoints ?? [])
    .filter((endpoint) => isReady(endpoint) && endpoint.hostname !== undefined)
    .flatMap(({ addresses, hostname }) =>
      addresses.map((ip): [string, string] => [ip, `${hostname}.${service}.${slice.metadata.namespace}`]),
    )
}

const clusterAddresses = ({ spec, metadata }: Stored<Service>): [string, string][] =>
  (spec.clusterIPs ?? [])
    .filter((ip) => ip !== 'None' && ip !== '')
    .map((ip): [string, string] => [ip, `${metadata.name}.${metadata.namespace}`])

export const createDnsIndex = (client: Client): DnsIndex => {
  const slicesByService = new Map<string, Map<string, Stored<EndpointSlice>>>()
  const endpointsByService = new Map<string, readonly ServiceEndpoint[]>()
  const clusterNames = createNameIndex()
  const endpointNames = createNameIndex()

  const removeSlice = (slice: Stored<EndpointSlice>): void => {
    for (const [ip, name] of namedAddresses(slice)) endpointNames.remove(ip, name)
    const key = serviceKeyOf(slice)
    if (key === undefined) return
    endpointsByService.delete(key)
    const slices = slicesByService.get(key)
    slices?.delete(slice.metadata.name)
    if (slices?.size === 0) slicesByService.delete(key)
  }

  const addSlice = (slice: Stored<EndpointSlice>): void => {
    for (const [ip, name] of namedAddresses(slice)) endpointNames.add(ip, name)
    const key = serviceKeyOf(slice)
    if (key === undefined) return
    endpointsByService.delete(key)
    slicesByService.set(key, (slicesByService.get(key) ?? new Map()).set(slice.metadata.name, slice))
  }

  const addService = (service: Stored<Service>): void => {
    for (const [ip, name] of clusterAddresses(service)) clusterNames.add(ip, name)
  }

  const removeService = (service: Stored<Service>): void => {
    for (const [ip, name] of clusterAddresses(service)) clusterNames.remove(ip, name)
  }

  const handleEvent =
    <T>(add: (object: Stored<T>) => void, remove: (object: Stored<T>) => void) =>
    ({ type, object, old }: WatchEvent<T>): void => {
      if (old !== undefined) remove(old)
      if (type !== 'DELETED') add(object)
    }

  const unsubscribes = [
    client.watch(endpointSlices, handleEvent(addSlice, removeSlice)),
    client.watch(services, handleEvent(addService, removeService)),
  ]
  for (const slice of client.list(endpointSlices)) addSlice(slice)
  for (const service of client.list(services)) addService(service)

  return {
    hasNamespace: (namespace) => client.get(namespaces, '', namespace) !== undefined,
    serviceOf: (namespace, name) => client.get(services, namespace, name),
    endpointsOf(namespace, name) {
      const key = `${namespace}/${name}`
      const slices = slicesByService.get(key)
      if (slices === undefined) return NO_ENDPOINTS
      let found = endpointsByService.get(key)
      if (found === undefined) {
        found = [...slices.values()].flatMap(endpointsIn)
        endpointsByService.set(key, found)
      }
      return found
    },
    namesAt(ip) {
      const names = clusterNames.namesAt(ip)
      return names.length > 0 ? names : endpointNames.namesAt(ip)
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}
