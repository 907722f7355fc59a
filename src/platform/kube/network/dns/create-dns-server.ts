/** The DNS server of a cluster, over UDP and TCP inside its network namespace. */
import type { Socket as DatagramSocket } from 'node:dgram'
import type { Clock, Random } from '#kit'
import { bindInside, listenInside, type NetworkNamespace } from '#machine/linux'
import {
  createClusterZone,
  createDnsIndex,
  createDnsInterferences,
  createResolver,
} from '#platform/kube/connectivity'
import type { Client, DnsFaults } from '#platform/kube/ports'
import { answerPacket, type Transport } from './answer-packet.ts'
import { serveTcp } from './serve-tcp.ts'

const DNS_PORT = 53

export interface DnsServerOptions {
  namespace: NetworkNamespace
  /** Must already be an address of the namespace. */
  address: string
  /** For example `cluster.local`. */
  clusterDomain: string
  client: Client
  clock: Clock
  random: Random
  /** Called for errors of sockets and of single answers; the server keeps running. */
  onError(source: string, error: unknown): void
}

export interface DnsServer {
  readonly faults: DnsFaults
  close(): Promise<void>
}

const closeDatagrams = (socket: DatagramSocket): Promise<void> =>
  new Promise((resolve) => {
    socket.close(() => resolve())
  })

export const createDnsServer = async (options: DnsServerOptions): Promise<DnsServer> => {
  const { namespace, address, client, clock, random, onError } = options
  const domain = options.clusterDomain.toLowerCase()
  const index = createDnsIndex(client)
  const interferences = createDnsInterferences(random.fork('dns faults'))
  const resolve = createResolver({
    zone: createClusterZone(index, domain),
    domain,
    address,
    clock,
    random: random.fork('dns'),
  })

  const answer = (query: Uint8Array, from: string, transport: Transport): Buffer | undefined => {
    try {
      return answerPacket(
        query,
        transport,
        (question) => interferences.faultyAnswer(from, question) ?? resolve(question),
      )
    } catch (error) {
      onError('dns', error)
      return undefined
    }
  }

  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    index.close()
    await Promise.all(closers.splice(0).map((closeOne) => closeOne()))
  }

  try {
    const datagrams = await bindInside(namespace, address, DNS_PORT)
    closers.push(() => closeDatagrams(datagrams))
    datagrams.on('error', (error) => onError('dns', error))
    datagrams.on('message', (query, from) => {
      const reply = answer(query, from.address, 'udp')
      // Errors are ignored: the client may have closed its socket.
      if (reply !== undefined) datagrams.send(reply, from.port, from.address, () => {})
    })
    const fd = listenInside(namespace, address, DNS_PORT)
    closers.push(
      await serveTcp(fd, {
        clock,
        onError: (error) => onError('dns', error),
        answer: (query, from) => answer(query, from, 'tcp'),
      }),
    )
  } catch (error) {
    await close()
    throw error
  }
  return { faults: { interfere: interferences.interfere }, close }
}
