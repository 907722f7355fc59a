/**
 * Flushes the tracked UDP connections of removed endpoints. The kernel treats all datagrams of one client port as one
 * connection and would keep sending them to a removed pod.
 */
import { deleteUdpConnections, type NetworkNamespace } from '#machine/linux'
import { type BalancedPort, usableBackends } from '#platform/kube/connectivity'

export interface DatagramServers {
  update(ports: readonly BalancedPort[]): void
  /** Call after the rules for the last `update` are applied. */
  flushRemoved(): void
}

export const createDatagramServers = (namespace: NetworkNamespace): DatagramServers => {
  let current = new Set<string>()
  const removed = new Set<string>()
  return {
    update(ports) {
      const next = new Set(
        ports
          .filter(({ protocol }) => protocol === 'udp')
          .flatMap(({ backends }) => usableBackends(backends).map(({ ip }) => ip)),
      )
      for (const ip of current) if (!next.has(ip)) removed.add(ip)
      for (const ip of next) removed.delete(ip)
      current = next
    },
    flushRemoved() {
      if (removed.size === 0) return
      const servers = new Set(removed)
      removed.clear()
      deleteUdpConnections(namespace, servers)
    },
  }
}
