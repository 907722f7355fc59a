/** Far ends of a NetworkChaos that are named by address, by block, or by the name of a Service or pod. */
import { isIPv4 } from 'node:net'
import { endpoints, pods, services } from '../../kinds/index.ts'
import type { Client } from '../../ports/index.ts'

const BLOCK = /^(\d+\.\d+\.\d+\.\d+)\/(\d|[12]\d|3[0-2])$/

const isBlock = (text: string): boolean => isIPv4(BLOCK.exec(text)?.[1] ?? '')

/** Its own address and those behind it: packets bear the one before and the other after their way is chosen. */
const ofService = (client: Client, namespace: string, name: string): string[] => {
  const service = client.get(services, namespace, name)
  if (service === undefined) return []
  const own = (service.spec.clusterIPs ?? []).filter(isIPv4)
  const behind = (client.get(endpoints, namespace, name)?.subsets ?? []).flatMap(({ addresses = [] }) =>
    addresses.map(({ ip }) => ip),
  )
  return [...own, ...behind]
}

const ofPod = (client: Client, namespace: string, name: string): string[] => {
  const ip = client.get(pods, namespace, name)?.status.podIP
  return ip === undefined ? [] : [ip]
}

const ofName = (client: Client, home: string, text: string): string[] => {
  const [name = '', namespace = home, ...rest] = text.replace(/\.$/, '').split('.')
  if (rest.length > 0 && rest[0] !== 'svc') return []
  const found = ofService(client, namespace, name)
  return found.length > 0 || text.includes('.') ? found : ofPod(client, home, name)
}

/** Blocks of addresses. `home` is the namespace of names that say none. Throws for a name that nobody has. */
export const resolveExternalTarget = (client: Client, home: string, text: string): string[] => {
  if (isIPv4(text)) return [`${text}/32`]
  if (isBlock(text)) return [text]
  const addresses = ofName(client, home, text)
  if (addresses.length === 0) throw new Error(`lookup ${text}: no such host`)
  return [...new Set(addresses)].map((address) => `${address}/32`)
}
