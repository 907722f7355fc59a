/** What a pod's /etc/resolv.conf says, from its dnsPolicy and dnsConfig. */
import type { Pod, PodDNSConfig } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../meta/index.ts'
import { CLUSTER_DOMAIN, DNS_ADDRESS, OUTSIDE_ADDRESS } from '../addresses.ts'

interface Resolution {
  nameservers: readonly string[]
  searches: readonly string[]
  options: readonly { name?: string; value?: string }[]
}

/** The resolver of the C library reads no more. */
const MOST_NAMESERVERS = 3
const MOST_SEARCHES = 32

const NOTHING: Resolution = { nameservers: [], searches: [], options: [] }
/** A node asks the machine around it, where no DNS answers. */
const OF_NODE: Resolution = { ...NOTHING, nameservers: [OUTSIDE_ADDRESS] }

const ofCluster = (namespace: string): Resolution => ({
  nameservers: [DNS_ADDRESS],
  searches: [`${namespace}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`, CLUSTER_DOMAIN],
  options: [{ name: 'ndots', value: '5' }],
})

const byPolicy = ({ metadata, spec }: Stored<Pod>): Resolution => {
  switch (spec.dnsPolicy) {
    case 'None':
      return NOTHING
    case 'Default':
      return OF_NODE
    case 'ClusterFirstWithHostNet':
      return ofCluster(metadata.namespace ?? 'default')
    default:
      return spec.hostNetwork === true ? OF_NODE : ofCluster(metadata.namespace ?? 'default')
  }
}

const distinct = (values: readonly string[], most: number): string[] => [...new Set(values)].slice(0, most)

/** The pod's own wishes come after the policy's; of two options with one name, they win. */
const withWishes = (policy: Resolution, wishes: PodDNSConfig = {}): Resolution => {
  const options = new Map(
    [...policy.options, ...(wishes.options ?? [])].map((option) => [option.name, option]),
  )
  return {
    nameservers: distinct([...policy.nameservers, ...(wishes.nameservers ?? [])], MOST_NAMESERVERS),
    searches: distinct([...policy.searches, ...(wishes.searches ?? [])], MOST_SEARCHES),
    options: [...options.values()],
  }
}

export const resolvConfOf = (pod: Stored<Pod>): string => {
  const { nameservers, searches, options } = withWishes(byPolicy(pod), pod.spec.dnsConfig)
  const flags = options.map(({ name = '', value }) => (value === undefined ? name : `${name}:${value}`))
  return [
    ...(searches.length === 0 ? [] : [`search ${searches.join(' ')}`]),
    ...nameservers.map((nameserver) => `nameserver ${nameserver}`),
    ...(flags.length === 0 ? [] : [`options ${flags.join(' ')}`]),
    '',
  ].join('\n')
}
