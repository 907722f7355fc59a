/** A DNS server over real sockets in a namespace of its own, and a client that asks it from an address. */
import { once } from 'node:events'
import { decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet'
import { createRandom, createRealClock } from '../../../../kit/index.ts'
import {
  bindInside,
  connectInside,
  createNetworkNamespace,
  type NetworkNamespace,
  runChecked,
} from '../../../../linux/index.ts'
import { endpointSlices, namespaces, services } from '../../../kinds/index.ts'
import type { Client } from '../../../ports/index.ts'
import { createResources } from '../../../resources/index.ts'
import { createDnsServer, type DnsServer } from '../create-dns-server.ts'

export const SERVER = '10.96.0.10'
export const PODS = ['10.244.0.5', '10.244.0.6'] as const

/** Of which the library's types leave out what is in the header. */
export type Reply = ReturnType<typeof decode> & { rcode: string; flag_aa: boolean; flag_tc: boolean }

export interface TestDns {
  client: Client
  namespace: NetworkNamespace
  server: DnsServer
  errors: unknown[]
  /** Sends a datagram, and gives what comes back within the time. */
  sendBytes(bytes: Uint8Array, from?: string, patienceMs?: number): Promise<Buffer | undefined>
  ask(name: string, type?: string, more?: Packet, from?: string): Promise<Reply>
  askByTcp(name: string, type?: string): Promise<Reply>
  service(namespace: string, name: string, spec: object): void
  slice(namespace: string, service: string, endpoints: object[], ports?: object[]): void
  close(): Promise<void>
}

const query = (name: string, type: string, more: Packet = {}): Buffer =>
  encode({
    type: 'query',
    id: 7,
    flags: RECURSION_DESIRED,
    questions: [{ name, type: type as 'A', class: 'IN' }],
    ...more,
  })

export const createTestDns = async (): Promise<TestDns> => {
  const random = createRandom('dns')
  const clock = createRealClock()
  const resources = createResources({ clock, random })
  const client = resources.clientFor({ username: 'tester', groups: ['system:masters'] }, 'tester')
  for (const name of ['default', 'shop']) client.create(namespaces, { metadata: { name } })
  const namespace = createNetworkNamespace()
  const addresses = [SERVER, ...PODS].map((address) => `addr add ${address}/32 dev lo\n`)
  await runChecked('ip', ['-batch', '-'], { namespace, input: `link set lo up\n${addresses.join('')}` })
  const errors: unknown[] = []
  const server = await createDnsServer({
    namespace,
    address: SERVER,
    clusterDomain: 'cluster.local',
    client,
    clock,
    random,
    onError: (_where, error) => errors.push(error),
  })

  const sendBytes: TestDns['sendBytes'] = async (bytes, from = PODS[0], patienceMs = 2000) => {
    const socket = await bindInside(namespace, from, 0)
    try {
      const answered = once(socket, 'message', { signal: AbortSignal.timeout(patienceMs) })
      socket.send(bytes, 53, SERVER)
      return (await answered)[0] as Buffer
    } catch {
      return undefined
    } finally {
      socket.close()
    }
  }

  return {
    client,
    namespace,
    server,
    errors,
    sendBytes,
    async ask(name, type = 'A', more = {}, from = PODS[0]) {
      const reply = await sendBytes(query(name, type, more), from)
      if (reply === undefined) throw new Error(`no answer about ${name}`)
      return decode(reply) as Reply
    },
    async askByTcp(name, type = 'A') {
      const socket = await connectInside(namespace, SERVER, 53)
      const message = query(name, type)
      const length = Buffer.from([message.length >> 8, message.length & 0xff])
      // In pieces, as a slow line would bring it.
      socket.write(Buffer.concat([length, message.subarray(0, 5)]))
      setImmediate(() => socket.write(message.subarray(5)))
      let received = Buffer.alloc(0)
      for await (const chunk of socket) {
        received = Buffer.concat([received, chunk as Buffer])
        if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break
      }
      return decode(received.subarray(2)) as Reply
    },
    service(where, name, spec) {
      client.create(services, { metadata: { name, namespace: where }, spec } as never)
    },
    slice(where, service, endpoints, ports = [{ name: 'http', port: 8080, protocol: 'TCP' }]) {
      client.create(endpointSlices, {
        metadata: {
          name: `${service}-1`,
          namespace: where,
          labels: { 'kubernetes.io/service-name': service },
        },
        addressType: 'IPv4',
        endpoints,
        ports,
      } as never)
    },
    async close() {
      await server.close()
      namespace.close()
    },
  }
}
