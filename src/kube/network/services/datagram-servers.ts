/**
 * Forgets where datagrams went once an endpoint is no more. The kernel takes those of one client port for one
 * connection, and would send them to a pod that is gone for as long as they keep coming.
 */
import { forgetDatagrams, type NetworkNamespace } from '../../../linux/index.ts'
import { type BalancedPort, usableOf } from './service-port.ts'

export interface DatagramServers {
  see(ports: readonly BalancedPort[]): void
  /** To be called when the rules no longer lead to those that were not seen again. */
  forgetGone(): void
}

export const createDatagramServers = (namespace: NetworkNamespace): DatagramServers => {
  let current = new Set<string>()
  const gone = new Set<string>()
  return {
    see(ports) {
      const seen = new Set(
        ports
          .filter(({ protocol }) => protocol === 'udp')
          .flatMap(({ backends }) => usableOf(backends).map(({ ip }) => ip)),
      )
      for (const ip of current) if (!seen.has(ip)) gone.add(ip)
      for (const ip of seen) gone.delete(ip)
      current = seen
    },
    forgetGone() {
      if (gone.size === 0) return
      const servers = new Set(gone)
      gone.clear()
      forgetDatagrams(namespace, servers)
    },
  }
}
