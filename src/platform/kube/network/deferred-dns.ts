/** The cluster's DNS, which accepts faults before its server is started. */
import type { NetworkNamespace } from '#machine/linux'
import { CLUSTER_DOMAIN, DNS_ADDRESS } from '#platform/kube/connectivity'
import type { Client, DnsFaults } from '#platform/kube/ports'
import type { ClusterNetworkOptions } from './cluster-network.ts'
import { createDnsServer, type DnsServer } from './dns/create-dns-server.ts'

export interface DeferredDns {
  readonly faults: DnsFaults
  /** Starts the server in the background. */
  start(client: Client): void
  close(): Promise<void>
}

interface DeferredFaults extends DnsFaults {
  /** Sets the server: applies the pending faults to it, and later ones at once. */
  setServer(server: DnsFaults): void
}

const createDeferredFaults = (): DeferredFaults => {
  let server: DnsFaults | undefined
  const pending = new Set<(server: DnsFaults) => void>()
  return {
    interfere(podIp, rule) {
      if (server !== undefined) return server.interfere(podIp, rule)
      let undo = (): void => {}
      const applyRule = (started: DnsFaults): void => {
        undo = started.interfere(podIp, rule)
      }
      pending.add(applyRule)
      return () => {
        pending.delete(applyRule)
        undo()
      }
    },
    setServer(started) {
      server = started
      for (const apply of pending) apply(started)
      pending.clear()
    },
  }
}

export const createDeferredDns = (
  namespace: NetworkNamespace,
  { clock, random, onError }: Pick<ClusterNetworkOptions, 'clock' | 'random' | 'onError'>,
): DeferredDns => {
  const faults = createDeferredFaults()
  let server: Promise<DnsServer | undefined> = Promise.resolve(undefined)
  const startServer = async (client: Client): Promise<DnsServer | undefined> => {
    const location = { namespace, address: DNS_ADDRESS, clusterDomain: CLUSTER_DOMAIN }
    try {
      const created = await createDnsServer({ ...location, client, clock, random, onError })
      faults.setServer(created.faults)
      return created
    } catch (error) {
      onError('dns', error)
      return undefined
    }
  }
  return {
    faults,
    start(client) {
      server = startServer(client)
    },
    async close() {
      await (await server)?.close()
    },
  }
}
