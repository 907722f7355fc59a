/**
 * A network namespace from which programs reach other machines, but not this one. This process accepts every
 * TCP connection inside, connects to its destination from outside, and relays the bytes. It configures
 * nothing on the machine itself.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import {
  createNetworkNamespace,
  LOOPBACK,
  listenInside,
  type NetworkNamespace,
  openRouteSocket,
  originalDestination,
  runChecked,
} from '#machine/linux'
import { DNS_PORT, readNameServers, relayNames } from './name-relay.ts'

export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

export interface OutwardOptions {
  /** Services of this machine that are reachable; none by default. */
  readonly reach?: readonly ServiceAddress[]
  /** Opens a connection to the target; directly from this machine by default. */
  dial?(target: ServiceAddress): Socket
  /** The name servers that answer; those of this machine by default. */
  nameServers?(): readonly string[]
}

export interface OutwardNetwork {
  /** The path of the network namespace. */
  readonly path: string
  /** Closes all connections. */
  close(): void
}

/** The source address of connections inside. */
const SOURCE = '169.254.83.1'
const MAX_CONNECTIONS = 256
const LOOPBACK_ADDRESS = /^127\./
/** Matches the address block "this network", link-local addresses (such as the metadata service of a cloud), multicast and broadcast. */
const UNUSABLE = /^(?:0\.|169\.254\.|22[4-9]\.|23\d\.|24\d\.|25[0-5]\.)/

const rulesOf = (port: number): string => `table ip outward {
  chain outgoing {
    type nat hook output priority -100; policy accept;
    ip daddr { 127.0.0.0/8, ${SOURCE} } accept
    meta l4proto tcp redirect to :${port}
  }
  chain others {
    type filter hook output priority 0; policy accept;
    ip daddr { 127.0.0.0/8, ${SOURCE} } accept
    reject
  }
}
`

/** Whether the address belongs to this machine. Read for each connection, because interfaces change. */
const isOwnAddress = (host: string): boolean =>
  LOOPBACK_ADDRESS.test(host) ||
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host))

const isSameService = (a: ServiceAddress, b: ServiceAddress): boolean =>
  a.host === b.host && a.port === b.port

/** Relays the bytes of both directions with back-pressure. A failed connection resets the other one. */
const joinSockets = (inner: Socket, outer: Socket): void => {
  inner.pipe(outer)
  outer.pipe(inner)
  for (const [socket, peer] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    socket.on('error', () => peer.resetAndDestroy())
    socket.on('close', () => peer.destroy())
  }
}

const configureNetwork = (namespace: NetworkNamespace): void => {
  const routes = openRouteSocket(namespace)
  try {
    routes.setUp(LOOPBACK)
    routes.addAddress(LOOPBACK, SOURCE)
    routes.putRoute({ destination: '0.0.0.0/0', device: LOOPBACK, source: SOURCE })
  } finally {
    routes.close()
  }
}

const dialFromHost = (target: ServiceAddress): Socket =>
  connect({ ...target, allowHalfOpen: true, noDelay: true })

/**
 * Creates servers inside the namespace that relay each connection to its target. `targetOf` returns undefined to refuse
 * a connection.
 */
const createRelays = (namespace: NetworkNamespace, dial: (target: ServiceAddress) => Socket) => {
  const servers: Server[] = []
  const openSockets = new Set<Socket>()
  const track = (socket: Socket): void => {
    openSockets.add(socket)
    socket.once('close', () => openSockets.delete(socket))
  }
  return {
    async serve(
      address: ServiceAddress,
      targetOf: (inner: Socket) => ServiceAddress | undefined,
    ): Promise<number> {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (inner) => {
        track(inner)
        const target = targetOf(inner)
        if (target === undefined) {
          inner.resetAndDestroy()
          return
        }
        const outer = dial(target)
        track(outer)
        joinSockets(inner, outer)
      })
      server.maxConnections = MAX_CONNECTIONS
      servers.push(server)
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen({ fd: listenInside(namespace, address.host, address.port) }, resolve)
      })
      server.on('error', () => {})
      return (server.address() as { port: number }).port
    },
    close() {
      for (const server of servers) server.close()
      for (const socket of openSockets) socket.destroy()
    },
  }
}

/** Rejects if the machine does not permit network namespaces. */
export const createOutwardNetwork = async ({
  reach = [],
  dial = dialFromHost,
  nameServers = readNameServers,
}: OutwardOptions = {}): Promise<OutwardNetwork> => {
  const namespace = createNetworkNamespace()
  const relays = createRelays(namespace, dial)
  let nameRelay: Awaited<ReturnType<typeof relayNames>> | undefined
  const close = (): void => {
    nameRelay?.close()
    relays.close()
    namespace.close()
  }
  try {
    configureNetwork(namespace)
    const port = await relays.serve({ host: '127.0.0.1', port: 0 }, (inner) => {
      const target = originalDestination(inner)
      if (UNUSABLE.test(target.host)) return undefined
      return isOwnAddress(target.host) && !reach.some((service) => isSameService(service, target))
        ? undefined
        : target
    })
    for (const service of reach.filter(({ host }) => LOOPBACK_ADDRESS.test(host)))
      await relays.serve(service, () => service)
    nameRelay = await relayNames(namespace, nameServers)
    // Clients repeat a query over TCP if the answer does not fit into a datagram.
    await relays.serve({ host: '127.0.0.1', port: DNS_PORT }, () => {
      const [host] = nameServers()
      return host === undefined ? undefined : { host, port: DNS_PORT }
    })
    await runChecked('nft', ['-f', '-'], { input: rulesOf(port), namespace })
    return { path: namespace.path, close }
  } catch (error) {
    close()
    throw error
  }
}
