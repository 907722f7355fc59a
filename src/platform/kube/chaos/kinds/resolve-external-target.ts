/** Resolves an external target of a NetworkChaos: an address, a CIDR block, or the name of a Service or pod. */
import { isIPv4 } from 'node:net'
import { endpoints, pods, services } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'

const CIDR_BLOCK = /^(\d+\.\d+\.\d+\.\d+)\/(\d|[12]\d|3[0-2])$/

const isCidrBlock = (text: string): boolean => isIPv4(CIDR_BLOCK.exec(text)?.[1] ?? '')

/** Returns the cluster IPs and the backends' addresses, which packets carry before and after translation. */
const addressesOfService = (client: Client, namespace: string, name: string): string[] => {
  const service = client.get(services, namespace, name)
  if (service === undefined) return []
  const clusterIPs = (service.spec.clusterIPs ?? []).filter(isIPv4)
  const backends = (client.get(endpoints, namespace, name)?.subsets ?? []).flatMap(({ addresses = [] }) =>
    addresses.map(({ ip }) => ip),
  )
  return [...clusterIPs, ...backends]
}

const addressesOfPod = (client: Client, namespace: string, name: string): string[] => {
  const ip = client.get(pods, namespace, name)?.status.podIP
  return ip === undefined ? [] : [ip]
}

const addressesOfName = (client: Client, defaultNamespace: string, text: string): string[] => {
  const [name = '', namespace = defaultNamespace, ...rest] = text.replace(/\.$/, '').split('.')
  if (rest.length > 0 && rest[0] !== 'svc') return []
  const found = addressesOfService(client, namespace, name)
  return found.length > 0 || text.includes('.') ? found : addressesOfPod(client, defaultNamespace, name)
}

/** Returns CIDR blocks. `defaultNamespace` applies to names without a namespace. Throws if the name is unknown. */
export const resolveExternalTarget = (client: Client, defaultNamespace: string, text: string): string[] => {
  if (isIPv4(text)) return [`${text}/32`]
  if (isCidrBlock(text)) return [text]
  const addresses = addressesOfName(client, defaultNamespace, text)
  if (addresses.length === 0) throw new Error(`lookup ${text}: no such host`)
  return [...new Set(addresses)].map((address) => `${address}/32`)
}
