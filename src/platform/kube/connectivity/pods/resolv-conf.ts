/** Builds a pod's /etc/resolv.conf from its dnsPolicy and dnsConfig. */
import type { Pod, PodDNSConfig } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { CLUSTER_DOMAIN, DNS_ADDRESS, OUTSIDE_ADDRESS } from '../addresses.ts'

/** The settings of the resolver. */
export interface ResolverConfig {
  readonly nameservers: readonly string[]
  /** The domains in which a short name is looked up. */
  readonly searches: readonly string[]
  readonly options: readonly { readonly name?: string; readonly value?: string }[]
}

/** The limit of the C library's resolver. */
const MAX_NAMESERVERS = 3
const MAX_SEARCHES = 32

const EMPTY: ResolverConfig = { nameservers: [], searches: [], options: [] }
/** The resolver of a node points outside the cluster, where no DNS server answers. */
const NODE_DNS: ResolverConfig = { ...EMPTY, nameservers: [OUTSIDE_ADDRESS] }

const clusterDns = (namespace: string): ResolverConfig => ({
  nameservers: [DNS_ADDRESS],
  searches: [`${namespace}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`, CLUSTER_DOMAIN],
  options: [{ name: 'ndots', value: '5' }],
})

const configForPolicy = ({ metadata, spec }: Stored<Pod>): ResolverConfig => {
  switch (spec.dnsPolicy) {
    case 'None':
      return EMPTY
    case 'Default':
      return NODE_DNS
    case 'ClusterFirstWithHostNet':
      return clusterDns(metadata.namespace ?? 'default')
    default:
      return spec.hostNetwork === true ? NODE_DNS : clusterDns(metadata.namespace ?? 'default')
  }
}

const distinct = (values: readonly string[], max: number): string[] => [...new Set(values)].slice(0, max)

/** Appends the pod's dnsConfig; its options override those of the policy. */
const mergeConfig = (policy: ResolverConfig, config: PodDNSConfig = {}): ResolverConfig => {
  const options = new Map(
    [...policy.options, ...(config.options ?? [])].map((option) => [option.name, option]),
  )
  return {
    nameservers: distinct([...policy.nameservers, ...(config.nameservers ?? [])], MAX_NAMESERVERS),
    searches: distinct([...policy.searches, ...(config.searches ?? [])], MAX_SEARCHES),
    options: [...options.values()],
  }
}

export const resolverConfigOf = (pod: Stored<Pod>): ResolverConfig =>
  mergeConfig(configForPolicy(pod), pod.spec.dnsConfig)

/** Returns the content of the file. */
export const resolvConfOf = (pod: Stored<Pod>): string => {
  const { nameservers, searches, options } = resolverConfigOf(pod)
  const optionTexts = options.map(({ name = '', value }) => (value === undefined ? name : `${name}:${value}`))
  return [
    ...(searches.length === 0 ? [] : [`search ${searches.join(' ')}`]),
    ...nameservers.map((nameserver) => `nameserver ${nameserver}`),
    ...(optionTexts.length === 0 ? [] : [`options ${optionTexts.join(' ')}`]),
    '',
  ].join('\n')
}
