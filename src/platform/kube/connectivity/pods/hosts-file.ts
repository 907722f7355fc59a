/** The hostname of a pod and its /etc/hosts. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { CLUSTER_DOMAIN } from '../addresses.ts'

const MAX_NAME_CHARACTERS = 63

export const hostnameOf = ({ metadata, spec }: Stored<Pod>): string => {
  const name = spec.hostNetwork === true ? spec.nodeName : spec.hostname
  return (name || metadata.name!).slice(0, MAX_NAME_CHARACTERS).replace(/[-.]+$/, '')
}

/** An address and its names. */
export type HostsEntry = readonly [address: string, names: readonly string[]]

const ownEntry = (pod: Stored<Pod>, ip: string): HostsEntry => {
  const name = hostnameOf(pod)
  const { subdomain } = pod.spec
  const fullNames = subdomain ? [`${name}.${subdomain}.${pod.metadata.namespace}.svc.${CLUSTER_DOMAIN}`] : []
  return [ip, [...fullNames, name]]
}

const aliasEntries = ({ spec }: Stored<Pod>): readonly HostsEntry[] =>
  (spec.hostAliases ?? []).map(({ ip = '', hostnames = [] }) => [ip, hostnames])

/** The entries of the pod, without those that every machine has. */
export const hostsEntriesOf = (pod: Stored<Pod>, ip: string): readonly HostsEntry[] => [
  ownEntry(pod, ip),
  ...aliasEntries(pod),
]

const toLine = ([address, names]: HostsEntry): string => [address, ...names].join('\t')

/** Returns the content of the file. */
export const hostsFileOf = (pod: Stored<Pod>, ip: string): string => {
  const aliases = aliasEntries(pod)
  return [
    '# Kubernetes-managed hosts file.',
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'fe00::0\tip6-localnet',
    'fe00::0\tip6-mcastprefix',
    'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters',
    toLine(ownEntry(pod, ip)),
    ...(aliases.length === 0 ? [] : ['', '# Entries added by HostAliases.', ...aliases.map(toLine)]),
    '',
  ].join('\n')
}
