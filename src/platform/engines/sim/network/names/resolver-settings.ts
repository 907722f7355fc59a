/** The name resolution of a pod as data: its hosts file and its resolv.conf. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { hostsEntriesOf, type ResolverConfig, resolverConfigOf, type Stored } from '#platform/kube/simulated'

export interface ResolverSettings {
  /** Addresses by lowercase name. */
  readonly hosts: ReadonlyMap<string, readonly string[]>
  readonly nameservers: readonly string[]
  readonly searches: readonly string[]
  /** Names with fewer dots are first looked up in the search domains. */
  readonly ndots: number
  readonly timeoutMs: number
  readonly attempts: number
}

/** The defaults and limits of the C library. */
const DEFAULT_NDOTS = 1
const MAX_NDOTS = 15
const DEFAULT_TIMEOUT_S = 5
const MAX_TIMEOUT_S = 30
const DEFAULT_ATTEMPTS = 2
const MAX_ATTEMPTS = 5
/** Used if resolv.conf names no server. */
const LOCAL_NAMESERVER = '127.0.0.1'

const numberOption = (
  { options }: ResolverConfig,
  name: string,
  { byDefault, max }: { byDefault: number; max: number },
): number => {
  const value = Number.parseInt(options.find((option) => option.name === name)?.value ?? '', 10)
  return Number.isNaN(value) ? byDefault : Math.min(Math.max(value, 0), max)
}

const hostsOf = (pod: Stored<Pod>, ip: string): ReadonlyMap<string, readonly string[]> => {
  const hosts = new Map<string, string[]>([['localhost', ['127.0.0.1']]])
  for (const [address, names] of hostsEntriesOf(pod, ip))
    for (const name of names) {
      const addresses = hosts.get(name.toLowerCase())
      if (addresses === undefined) hosts.set(name.toLowerCase(), [address])
      else addresses.push(address)
    }
  return hosts
}

export const resolverSettingsOf = (pod: Stored<Pod>, ip: string): ResolverSettings => {
  const config = resolverConfigOf(pod)
  return {
    hosts: hostsOf(pod, ip),
    nameservers: config.nameservers.length === 0 ? [LOCAL_NAMESERVER] : config.nameservers,
    searches: config.searches,
    ndots: numberOption(config, 'ndots', { byDefault: DEFAULT_NDOTS, max: MAX_NDOTS }),
    timeoutMs:
      1000 *
      Math.max(1, numberOption(config, 'timeout', { byDefault: DEFAULT_TIMEOUT_S, max: MAX_TIMEOUT_S })),
    attempts: Math.max(
      1,
      numberOption(config, 'attempts', { byDefault: DEFAULT_ATTEMPTS, max: MAX_ATTEMPTS }),
    ),
  }
}
