/** Deletes tracked UDP connections, so that the next datagrams are routed again. */
import { attribute, NESTED, NETLINK, openNetlink, readAttributes } from './netlink.ts'
import type { NetworkNamespace } from './network-namespace.ts'

const CONNTRACK_SUBSYSTEM = 1 << 8
const GET_CONNECTIONS = CONNTRACK_SUBSYSTEM | 1
const DELETE_CONNECTION = CONNTRACK_SUBSYSTEM | 2
const UDP = 17
/** A `struct nfgenmsg` for IPv4. */
const IPV4_HEADER = Buffer.from([2, 0, 0, 0])

const ORIGINAL = 1
const REPLY = 2

/** Returns the sender and the protocol of one direction of a connection. */
const parseSender = (tuple: Buffer): { address: string; protocol: number | undefined } => {
  const parts = readAttributes(tuple)
  const source = readAttributes(parts.get(1) ?? Buffer.alloc(0)).get(1)
  const protocol = readAttributes(parts.get(2) ?? Buffer.alloc(0)).get(1)
  return { address: source === undefined ? '' : [...source].join('.'), protocol: protocol?.[0] }
}

/** Deletes the connections to these servers. */
export const deleteUdpConnections = (namespace: NetworkNamespace, servers: ReadonlySet<string>): void => {
  const netlink = openNetlink(namespace, NETLINK.netfilter)
  try {
    for (const body of netlink.list('listing connections', GET_CONNECTIONS, IPV4_HEADER)) {
      const parts = readAttributes(body.subarray(IPV4_HEADER.length))
      const [original, reply] = [parts.get(ORIGINAL), parts.get(REPLY)]
      if (original === undefined || reply === undefined) continue
      const { address, protocol } = parseSender(reply)
      if (protocol !== UDP || !servers.has(address)) continue
      try {
        const filter = Buffer.concat([IPV4_HEADER, attribute(ORIGINAL | NESTED, original)])
        netlink.request('deleting a connection', DELETE_CONNECTION, 0, filter)
      } catch (error) {
        // It may have timed out in the meantime.
        if ((error as { code?: string }).code !== 'ENOENT') throw error
      }
    }
  } finally {
    netlink.close()
  }
}
