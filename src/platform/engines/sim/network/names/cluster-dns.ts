/** The DNS server of the modelled cluster: the same zone and faults as in a real cluster, without packets. */
import type { Clock, Random } from '#kit'
import {
  CLUSTER_DOMAIN,
  type Client,
  createClusterZone,
  createDnsIndex,
  createDnsInterferences,
  createResolver,
  DNS_ADDRESS,
  type DnsInterference,
  RCODE,
  type Resolution,
} from '#platform/kube/simulated'

/** The answer to a question: addresses (none if the name has no address), or an error. */
export type DnsAnswer = readonly string[] | 'no-such-name' | 'server-failure'

export interface ClusterDns {
  /** Answers a question for the addresses of a name that ends without a dot. */
  answer(client: string, name: string): DnsAnswer
  /** Applies the rule to questions from this address until the returned function is called. */
  interfere(client: string, rule: DnsInterference): () => void
  close(): void
}

const toAnswer = ({ rcode, answers }: Resolution): DnsAnswer => {
  if (rcode === RCODE.noSuchName) return 'no-such-name'
  if (rcode !== RCODE.noError) return 'server-failure'
  return answers.flatMap((record) => (record.type === 'A' ? [record.data] : []))
}

export const createClusterDns = (options: { client: Client; clock: Clock; random: Random }): ClusterDns => {
  const { client, clock, random } = options
  const index = createDnsIndex(client)
  const interferences = createDnsInterferences(random.fork('dns faults'))
  const resolve = createResolver({
    zone: createClusterZone(index, CLUSTER_DOMAIN),
    domain: CLUSTER_DOMAIN,
    address: DNS_ADDRESS,
    clock,
    random: random.fork('dns'),
  })
  return {
    answer(from, name) {
      const question = { name, type: 'A' }
      return toAnswer(interferences.faultyAnswer(from, question) ?? resolve(question))
    },
    interfere: (from, rule) => interferences.interfere(from, rule),
    close: () => index.close(),
  }
}
