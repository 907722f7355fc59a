/** The files of /etc that all containers of a pod share: hostname, hosts and resolv.conf. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pod, PodDNSConfig } from 'kubernetes-types/core/v1.d.ts'
import type { OciMount } from '#machine/oci'
import type { Stored } from '#platform/kube/meta'
import type { PodAttachment } from '#platform/kube/ports'

const MAX_NAME_CHARACTERS = 63
const CLUSTER_DOMAIN = 'cluster.local'

/** The hostname of the pod. */
export const hostnameOf = ({ metadata, spec }: Stored<Pod>): string => {
  const name = spec.hostNetwork === true ? spec.nodeName : spec.hostname
  return (name || metadata.name!).slice(0, MAX_NAME_CHARACTERS).replace(/[-.]+$/, '')
}

const hostsText = (pod: Stored<Pod>, ip: string): string => {
  const name = hostnameOf(pod)
  const { subdomain, hostAliases = [] } = pod.spec
  const fullName = subdomain ? `${name}.${subdomain}.${pod.metadata.namespace}.svc.${CLUSTER_DOMAIN}\t` : ''
  const aliases = hostAliases.map((alias) => `${alias.ip}\t${(alias.hostnames ?? []).join('\t')}`)
  return [
    '# Kubernetes-managed hosts file.',
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'fe00::0\tip6-localnet',
    'fe00::0\tip6-mcastprefix',
    'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters',
    `${ip}\t${fullName}${name}`,
    ...(aliases.length === 0 ? [] : ['', '# Entries added by HostAliases.', ...aliases]),
    '',
  ].join('\n')
}

const valuesOf = (text: string, key: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${key} `))
    .flatMap((line) => line.split(/\s+/).slice(1))

/** Merges the network's resolv.conf with the pod's dnsConfig. Under the policy None, uses only the latter. */
export const resolvText = (
  networkText: string,
  policy: string | undefined,
  { nameservers = [], searches = [], options = [] }: PodDNSConfig = {},
): string => {
  const baseText = policy === 'None' ? '' : networkText
  const servers = [...new Set([...valuesOf(baseText, 'nameserver'), ...nameservers])]
  const domains = [...new Set([...valuesOf(baseText, 'search'), ...searches])]
  const values = new Map(
    valuesOf(baseText, 'options').map((text) => text.split(':') as [string, string | undefined]),
  )
  for (const { name = '', value } of options) values.set(name, value)
  const settings = Array.from(values, ([name, value]) => (value === undefined ? name : `${name}:${value}`))
  return [
    ...(domains.length === 0 ? [] : [`search ${domains.join(' ')}`]),
    ...servers.map((server) => `nameserver ${server}`),
    ...(settings.length === 0 ? [] : [`options ${settings.join(' ')}`]),
    '',
  ].join('\n')
}

const FILE_NAMES = ['hosts', 'hostname', 'resolv.conf']

/** Writes the files into `folder`. */
export const writePodEtc = (folder: string, pod: Stored<Pod>, { ip, resolvConf }: PodAttachment): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'hosts'), hostsText(pod, ip))
  writeFileSync(join(folder, 'hostname'), `${hostnameOf(pod)}\n`)
  const { dnsPolicy, dnsConfig } = pod.spec
  writeFileSync(join(folder, 'resolv.conf'), resolvText(resolvConf, dnsPolicy, dnsConfig))
}

export const podEtcMounts = (folder: string, readOnly: boolean): OciMount[] =>
  FILE_NAMES.map((name) => ({
    destination: `/etc/${name}`,
    type: 'bind',
    source: join(folder, name),
    options: ['bind', 'rprivate', readOnly ? 'ro' : 'rw'],
  }))
