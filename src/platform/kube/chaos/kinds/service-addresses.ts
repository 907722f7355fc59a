/** Finds the cluster IPs of Services whose only backends are the given pods. */
import { isIPv4 } from 'node:net'
import { endpoints, services } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'

const backendsOf = (client: Client, namespace: string, name: string): string[] =>
  (client.get(endpoints, namespace, name)?.subsets ?? []).flatMap(
    ({ addresses = [], notReadyAddresses = [] }) => [...addresses, ...notReadyAddresses].map(({ ip }) => ip),
  )

export const serviceAddresses = (client: Client, podAddresses: ReadonlySet<string>): string[] =>
  client.list(services).flatMap(({ metadata, spec }) => {
    const clusterIPs = (spec.clusterIPs ?? []).filter(isIPv4)
    if (clusterIPs.length === 0) return []
    const backends = backendsOf(client, metadata.namespace ?? '', metadata.name)
    return backends.length > 0 && backends.every((ip) => podAddresses.has(ip)) ? clusterIPs : []
  })
