/** The files of /etc that all containers of a pod share: hostname, hosts and resolv.conf. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pod, PodDNSConfig } from 'kubernetes-types/core/v1.d.ts'
import type { OciMount } from '#machine/oci'
import { hostnameOf, hostsFileOf } from '#platform/kube/connectivity'
import type { Stored } from '#platform/kube/meta'
import type { PodAttachment } from '#platform/kube/ports'

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
  writeFileSync(join(folder, 'hosts'), hostsFileOf(pod, ip))
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
