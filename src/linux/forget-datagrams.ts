/** Makes the kernel forget where it sent datagrams, so that the next ones may go elsewhere. */
import { attribute, NESTED, NETLINK, openNetlink, readAttributes } from './netlink.ts'
import type { NetworkNamespace } from './network-namespace.ts'

const CONNECTIONS = 1 << 8
const GET = CONNECTIONS | 1
const DELETE = CONNECTIONS | 2
const UDP = 17
/** A `struct nfgenmsg` for IPv4. */
const FAMILY = Buffer.from([2, 0, 0, 0])

const ORIGINAL = 1
const REPLY = 2

/** Who sends in this direction, and by which protocol. */
const senderOf = (tuple: Buffer): { address: string; protocol: number | undefined } => {
  const parts = readAttributes(tuple)
  const source = readAttributes(parts.get(1) ?? Buffer.alloc(0)).get(1)
  const protocol = readAttributes(parts.get(2) ?? Buffer.alloc(0)).get(1)
  return { address: source === undefined ? '' : [...source].join('.'), protocol: protocol?.[0] }
}

/** All that were answered, or would have been, by one of these addresses. */
export const forgetDatagrams = (namespace: NetworkNamespace, servers: ReadonlySet<string>): void => {
  const netlink = openNetlink(namespace, NETLINK.netfilter)
  try {
    for (const body of netlink.list('listing connections', GET, FAMILY)) {
      const parts = readAttributes(body.subarray(FAMILY.length))
      const [original, reply] = [parts.get(ORIGINAL), parts.get(REPLY)]
      if (original === undefined || reply === undefined) continue
      const { address, protocol } = senderOf(reply)
      if (protocol !== UDP || !servers.has(address)) continue
      try {
        const which = Buffer.concat([FAMILY, attribute(ORIGINAL | NESTED, original)])
        netlink.request('forgetting a connection', DELETE, 0, which)
      } catch (error) {
        // It may have ended by itself meanwhile.
        if ((error as { code?: string }).code !== 'ENOENT') throw error
      }
    }
  } finally {
    netlink.close()
  }
}
