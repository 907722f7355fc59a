/** Starts a DNS server in a network namespace for tests, with functions to query it. */
import { once } from 'node:events'
import { decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet'
import { createRandom, createRealClock } from '#kit'
import {
  bindInside,
  connectInside,
  createNetworkNamespace,
  type NetworkNamespace,
  runChecked,
} from '#machine/linux'
import { endpointSlices, namespaces, services } from '#platform/kube/kinds'
import type { Client } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import { createDnsServer, type DnsServer } from '../create-dns-server.ts'

export const SERVER = '10.96.0.10'
export const PODS = ['10.244.0.5', '10.244.0.6'] as const

/** Adds the header fields that the library's types omit. */
export type Reply = ReturnType<typeof decode> & { rcode: string; flag_aa: boolean; flag_tc: boolean }

export interface TestDns {
  client: Client
  namespace: NetworkNamespace
  server: DnsServer
  errors: unknown[]
  /** Sends a datagram; resolves with the answer, or undefined after the timeout. */
  sendBytes(bytes: Uint8Array, from?: string, timeoutMs?: number): Promise<Buffer | undefined>
  resolve(name: string, type?: string, overrides?: Packet, from?: string): Promise<Reply>
  resolveByTcp(name: string, type?: string): Promise<Reply>
  createService(namespace: string, name: string, spec: object): void
  createSlice(namespace: string, service: string, endpoints: object[], ports?: object[]): void
  close(): Promise<void>
}

const encodeQuery = (name: string, type: string, overrides: Packet = {}): Buffer =>
  encode({
    type: 'query',
    id: 7,
    flags: RECURSION_DESIRED,
    questions: [{ name, type: type as 'A', class: 'IN' }],
    ...overrides,
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
    onError: (_source, error) => errors.push(error),
  })

  const sendBytes: TestDns['sendBytes'] = async (bytes, from = PODS[0], timeoutMs = 2000) => {
    const socket = await bindInside(namespace, from, 0)
    try {
      const answered = once(socket, 'message', { signal: AbortSignal.timeout(timeoutMs) })
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
    async resolve(name, type = 'A', overrides = {}, from = PODS[0]) {
      const reply = await sendBytes(encodeQuery(name, type, overrides), from)
      if (reply === undefined) throw new Error(`no answer for ${name}`)
      return decode(reply) as Reply
    },
    async resolveByTcp(name, type = 'A') {
      const socket = await connectInside(namespace, SERVER, 53)
      const message = encodeQuery(name, type)
      const length = Buffer.from([message.length >> 8, message.length & 0xff])
      // Sends the message in two pieces to test reassembly.
      socket.write(Buffer.concat([length, message.subarray(0, 5)]))
      setImmediate(() => socket.write(message.subarray(5)))
      let received = Buffer.alloc(0)
      for await (const chunk of socket) {
        received = Buffer.concat([received, chunk as Buffer])
        if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break
      }
      return decode(received.subarray(2)) as Reply
    },
    createService(namespace, name, spec) {
      client.create(services, { metadata: { name, namespace: namespace }, spec } as never)
    },
    createSlice(namespace, service, endpoints, ports = [{ name: 'http', port: 8080, protocol: 'TCP' }]) {
      client.create(endpointSlices, {
        metadata: {
          name: `${service}-1`,
          namespace: namespace,
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
