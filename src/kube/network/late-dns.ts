/** The cluster's DNS, of which faults may be asked for before it is there. */
import type { NetworkNamespace } from '../../linux/index.ts'
import type { Client, DnsFaults } from '../ports/index.ts'
import { CLUSTER_DOMAIN, DNS_ADDRESS } from './addresses.ts'
import type { ClusterNetworkOptions } from './cluster-network.ts'
import { createDnsServer, type DnsServer } from './dns/create-dns-server.ts'

export interface LateDns {
  readonly faults: DnsFaults
  /** Soon answers by what the client sees. */
  start(client: Client): void
  close(): Promise<void>
}

interface LateFaults extends DnsFaults {
  /** From now on the server does it, what was asked for before included. */
  serve(server: DnsFaults): void
}

const createLateFaults = (): LateFaults => {
  let server: DnsFaults | undefined
  const waiting = new Set<(server: DnsFaults) => void>()
  return {
    interfere(podIp, rule) {
      if (server !== undefined) return server.interfere(podIp, rule)
      let undo = (): void => {}
      const begin = (served: DnsFaults): void => {
        undo = served.interfere(podIp, rule)
      }
      waiting.add(begin)
      return () => {
        waiting.delete(begin)
        undo()
      }
    },
    serve(given) {
      server = given
      for (const begin of waiting) begin(given)
      waiting.clear()
    },
  }
}

export const createLateDns = (
  namespace: NetworkNamespace,
  { clock, random, onError }: Pick<ClusterNetworkOptions, 'clock' | 'random' | 'onError'>,
): LateDns => {
  const faults = createLateFaults()
  let server: Promise<DnsServer | undefined> = Promise.resolve(undefined)
  const serve = async (client: Client): Promise<DnsServer | undefined> => {
    const place = { namespace, address: DNS_ADDRESS, clusterDomain: CLUSTER_DOMAIN }
    try {
      const made = await createDnsServer({ ...place, client, clock, random, onError })
      faults.serve(made.faults)
      return made
    } catch (error) {
      onError('dns', error)
      return undefined
    }
  }
  return {
    faults,
    start(client) {
      server = serve(client)
    },
    async close() {
      await (await server)?.close()
    },
  }
}
