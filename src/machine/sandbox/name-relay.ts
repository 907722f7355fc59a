/** Forwards DNS queries from inside a network namespace to the name servers of this machine. */
import { createSocket, type RemoteInfo } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { createRealClock } from '#kit'
import { bindInside, type NetworkNamespace } from '#machine/linux'

/** The address to which programs in the namespace send their queries. */
const ADDRESS = '127.0.0.1'
export const DNS_PORT = 53
const RESOLVER_FILE = '/etc/resolv.conf'
const TIMEOUT_MS = 5000
const MAX_PENDING = 100

const readLines = (): string[] => {
  try {
    return readFileSync(RESOLVER_FILE, 'utf8').split('\n')
  } catch {
    return []
  }
}

/** The name servers of this machine. */
export const readNameServers = (): string[] =>
  readLines().flatMap((line) => {
    const address = /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? ''
    return isIP(address) === 0 ? [] : [address]
  })

/** Returns the resolver configuration for the namespace: that of the machine, with the relay as the only name server. */
export const toResolverFile = (): string => {
  const others = readLines().filter((line) => line.trim() !== '' && !/^\s*nameserver\b/.test(line))
  return [`nameserver ${ADDRESS}`, ...others, ''].join('\n')
}

/** Sends queries to all name servers; the client uses the first answer. */
export const relayNames = async (
  namespace: NetworkNamespace,
  nameServers: () => readonly string[],
): Promise<{ close(): void }> => {
  const clock = createRealClock()
  const inside = await bindInside(namespace, ADDRESS, DNS_PORT)
  inside.on('error', () => {})
  const pending = new Set<() => void>()

  const forwardQuery = (query: Buffer, server: string, from: RemoteInfo): void => {
    const outside = createSocket(isIPv6(server) ? 'udp6' : 'udp4')
    const end = (): void => {
      if (!pending.delete(end)) return
      timer.cancel()
      outside.close()
    }
    const timer = clock.after(TIMEOUT_MS, end)
    pending.add(end)
    outside.on('error', end)
    outside.once('message', (answer) => {
      inside.send(answer, from.port, from.address, () => {})
      end()
    })
    outside.send(query, DNS_PORT, server, () => {})
  }
  inside.on('message', (query, from) => {
    if (pending.size < MAX_PENDING) for (const server of nameServers()) forwardQuery(query, server, from)
  })
  return {
    close() {
      for (const end of [...pending]) end()
      inside.close()
    },
  }
}
