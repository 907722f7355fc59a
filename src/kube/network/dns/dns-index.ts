/** What the names of a cluster are made of, kept from watches so that an answer needs no search. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { Endpoint, EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { endpointSlices, namespaces, services } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { Client, WatchEvent } from '../../ports/index.ts'

export interface NamedPort {
  readonly name: string
  /** In small letters. */
  readonly protocol: string
  readonly port: number
}

/** A ready address behind a Service. */
export interface ServiceEndpoint {
  readonly ip: string
  /** The pod's own, or one made of the address. */
  readonly hostname: string
  readonly ports: readonly NamedPort[]
}

export interface DnsIndex {
  hasNamespace(namespace: string): boolean
  serviceOf(namespace: string, name: string): Stored<Service> | undefined
  /** Those that are ready, or count as ready because the Service publishes all. */
  endpointsOf(namespace: string, name: string): readonly ServiceEndpoint[]
  /** `service.namespace` of a cluster address, or `hostname.service.namespace` of endpoints that have one. */
  namesAt(ip: string): readonly string[]
  close(): void
}

const SERVICE_LABEL = 'kubernetes.io/service-name'
const NONE: readonly ServiceEndpoint[] = []

const keyOf = (slice: Stored<EndpointSlice>): string | undefined => {
  const service = slice.metadata.labels?.[SERVICE_LABEL]
  return service === undefined ? undefined : `${slice.metadata.namespace}/${service}`
}

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

/** `ip -> names`, where several may give the same name and each must take it back. */
const createNameBook = () => {
  const book = new Map<string, string[]>()
  return {
    at: (ip: string): readonly string[] => [...new Set(book.get(ip) ?? [])],
    add(ip: string, name: string): void {
      book.set(ip, [...(book.get(ip) ?? []), name])
    },
    remove(ip: string, name: string): void {
      const names = [...(book.get(ip) ?? [])]
      const place = names.indexOf(name)
      if (place < 0) return
      names.splice(place, 1)
      if (names.length === 0) book.delete(ip)
      else book.set(ip, names)
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
  const slicesOf = new Map<string, Map<string, Stored<EndpointSlice>>>()
  const endpointsAt = new Map<string, readonly ServiceEndpoint[]>()
  const clusterNames = createNameBook()
  const endpointNames = createNameBook()

  const leaveSlice = (slice: Stored<EndpointSlice>): void => {
    for (const [ip, name] of namedAddresses(slice)) endpointNames.remove(ip, name)
    const key = keyOf(slice)
    if (key === undefined) return
    endpointsAt.delete(key)
    const slices = slicesOf.get(key)
    slices?.delete(slice.metadata.name)
    if (slices?.size === 0) slicesOf.delete(key)
  }

  const enterSlice = (slice: Stored<EndpointSlice>): void => {
    for (const [ip, name] of namedAddresses(slice)) endpointNames.add(ip, name)
    const key = keyOf(slice)
    if (key === undefined) return
    endpointsAt.delete(key)
    slicesOf.set(key, (slicesOf.get(key) ?? new Map()).set(slice.metadata.name, slice))
  }

  const enterService = (service: Stored<Service>): void => {
    for (const [ip, name] of clusterAddresses(service)) clusterNames.add(ip, name)
  }

  const leaveService = (service: Stored<Service>): void => {
    for (const [ip, name] of clusterAddresses(service)) clusterNames.remove(ip, name)
  }

  const following =
    <T>(enter: (object: Stored<T>) => void, leave: (object: Stored<T>) => void) =>
    ({ type, object, old }: WatchEvent<T>): void => {
      if (old !== undefined) leave(old)
      if (type !== 'DELETED') enter(object)
    }

  const stops = [
    client.watch(endpointSlices, following(enterSlice, leaveSlice)),
    client.watch(services, following(enterService, leaveService)),
  ]
  for (const slice of client.list(endpointSlices)) enterSlice(slice)
  for (const service of client.list(services)) enterService(service)

  return {
    hasNamespace: (namespace) => client.get(namespaces, '', namespace) !== undefined,
    serviceOf: (namespace, name) => client.get(services, namespace, name),
    endpointsOf(namespace, name) {
      const key = `${namespace}/${name}`
      const slices = slicesOf.get(key)
      if (slices === undefined) return NONE
      let found = endpointsAt.get(key)
      if (found === undefined) {
        found = [...slices.values()].flatMap(endpointsIn)
        endpointsAt.set(key, found)
      }
      return found
    },
    namesAt(ip) {
      const names = clusterNames.at(ip)
      return names.length > 0 ? names : endpointNames.at(ip)
    },
    close() {
      for (const stop of stops) stop()
    },
  }
}
