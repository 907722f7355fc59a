/** Finds the endpoints of Services by address and port. Follows Services and EndpointSlices. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import {
  type BalancedPort,
  balancedPortsOf,
  type Client,
  endpointSlices,
  type NetworkNode,
  type Stored,
  serviceKeyOf,
  services,
  usableBackends,
  type WatchEvent,
} from '#platform/kube/simulated'

export interface ServicePortEntry {
  readonly port: BalancedPort
  /** The endpoints for new connections. */
  readonly backends: BalancedPort['backends']
  /** The node whose address replaces that of the client, because the client used the node's port. */
  readonly throughNode?: string
}

export interface ServiceTable {
  /** Returns undefined if no Service has this address and port. */
  find(address: string, port: number): ServicePortEntry | undefined
  close(): void
}

interface ServiceRecord {
  service?: Stored<Service>
  readonly slices: Map<string, Stored<EndpointSlice>>
  /** Its keys in the table: `address:port`. */
  entries: readonly string[]
}

const keyOf = (address: string, port: number): string => `${address}:${port}`

const entriesOf = (port: BalancedPort, nodes: readonly NetworkNode[]): [string, ServicePortEntry][] => {
  if (port.protocol !== 'tcp') return []
  const backends = usableBackends(port.backends)
  const addresses = [port.clusterIP, ...port.externalAddresses]
  const { nodePort } = port
  return [
    ...addresses.map((address): [string, ServicePortEntry] => [
      keyOf(address, port.port),
      { port, backends },
    ]),
    ...(nodePort === undefined
      ? []
      : nodes.map(({ name, hostIP }): [string, ServicePortEntry] => [
          keyOf(hostIP, nodePort),
          { port, backends, throughNode: name },
        ])),
  ]
}

export const createServiceTable = (client: Client, nodes: readonly NetworkNode[]): ServiceTable => {
  const records = new Map<string, ServiceRecord>()
  const table = new Map<string, ServicePortEntry>()
  /** Services whose entries must be computed again. */
  const changed = new Set<string>()

  const recordOf = (key: string): ServiceRecord => {
    let record = records.get(key)
    if (record === undefined) {
      record = { slices: new Map(), entries: [] }
      records.set(key, record)
    }
    changed.add(key)
    return record
  }

  const putService = (service: Stored<Service>): void => {
    recordOf(`${service.metadata.namespace}/${service.metadata.name}`).service = service
  }
  const removeService = (service: Stored<Service>): void => {
    delete recordOf(`${service.metadata.namespace}/${service.metadata.name}`).service
  }
  const putSlice = (slice: Stored<EndpointSlice>): void => {
    const key = serviceKeyOf(slice)
    if (key !== undefined) recordOf(key).slices.set(slice.metadata.name, slice)
  }
  const removeSlice = (slice: Stored<EndpointSlice>): void => {
    const key = serviceKeyOf(slice)
    if (key !== undefined) recordOf(key).slices.delete(slice.metadata.name)
  }
  const follow =
    <T>(put: (object: Stored<T>) => void, remove: (object: Stored<T>) => void) =>
    ({ type, object, old }: WatchEvent<T>): void => {
      if (old !== undefined) remove(old)
      if (type !== 'DELETED') put(object)
    }

  const refresh = (): void => {
    // All old entries first: an address can have moved from one changed Service to another.
    for (const key of changed) for (const entry of records.get(key)!.entries) table.delete(entry)
    for (const key of changed) {
      const record = records.get(key)!
      const { service, slices } = record
      const entries =
        service === undefined
          ? []
          : balancedPortsOf(service, [...slices.values()]).flatMap((port) => entriesOf(port, nodes))
      record.entries = entries.map(([entry]) => entry)
      for (const [entry, value] of entries) table.set(entry, value)
      if (service === undefined && slices.size === 0) records.delete(key)
    }
    changed.clear()
  }

  const unsubscribes = [
    client.watch(services, follow(putService, removeService)),
    client.watch(endpointSlices, follow(putSlice, removeSlice)),
  ]
  for (const service of client.list(services)) putService(service)
  for (const slice of client.list(endpointSlices)) putSlice(slice)

  return {
    find(address, port) {
      if (changed.size > 0) refresh()
      return table.get(keyOf(address, port))
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}
