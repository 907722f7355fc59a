/** Addresses of Services that stand for nobody but certain pods: what is sent there is sent to them. */
import { isIPv4 } from 'node:net'
import { endpoints, services } from '../../kinds/index.ts'
import type { Client } from '../../ports/index.ts'

const backendsOf = (client: Client, namespace: string, name: string): string[] =>
  (client.get(endpoints, namespace, name)?.subsets ?? []).flatMap(
    ({ addresses = [], notReadyAddresses = [] }) => [...addresses, ...notReadyAddresses].map(({ ip }) => ip),
  )

/** `addresses` are those of the pods. */
export const serviceAddresses = (client: Client, addresses: ReadonlySet<string>): string[] =>
  client.list(services).flatMap(({ metadata, spec }) => {
    const own = (spec.clusterIPs ?? []).filter(isIPv4)
    if (own.length === 0) return []
    const backends = backendsOf(client, metadata.namespace ?? '', metadata.name)
    return backends.length > 0 && backends.every((ip) => addresses.has(ip)) ? own : []
  })
