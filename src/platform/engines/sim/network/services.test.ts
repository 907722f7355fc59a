/** Tests connections through Services. */
import { describe, expect, it } from 'vitest'
import { sleep } from '#kit'
import { endpointSlices, services } from '#platform/kube/kinds'
import {
  createTestNetwork,
  serveEcho,
  type TestNetwork,
  type TestPod,
} from './testing/create-test-network.ts'

const createFixture = () => {
  const test = createTestNetwork()
  const client = test.addPod('client')
  const servers = ['one', 'two', 'three'].map((name, index) =>
    test.addPod(name, { node: index === 0 ? 'node1' : 'node2' }),
  )
  for (const server of servers) serveEcho(server)
  return { ...test, clientPod: client, servers }
}

/** The addresses of the servers that answer, in order. */
const addressesOf = async (
  { run }: TestNetwork,
  { network }: Pick<TestPod, 'network'>,
  address: string,
  { count = 60, port = 80 } = {},
): Promise<string[]> => {
  const addresses: string[] = []
  for (let index = 0; index < count; index += 1)
    addresses.push((await run(() => network.connect(address, port))).address)
  return addresses
}

describe('a Service', () => {
  it('chooses an endpoint for each connection, and its target port', async () => {
    const test = createFixture()
    const address = test.addService('web', {}, test.servers)
    const addresses = await addressesOf(test, test.clientPod, address)
    for (const { ip } of test.servers)
      expect(addresses.filter((each) => each === ip).length).toBeGreaterThan(10)
  })

  it('follows its endpoints; open connections stay', async () => {
    const test = createFixture()
    const [one, two] = test.servers
    const address = test.addService('web', {}, [one!])
    const kept = await test.run(() => test.clientPod.network.connect(address, 80))
    test.setEndpoints('web', [two!])
    expect(new Set(await addressesOf(test, test.clientPod, address))).toEqual(new Set([two!.ip]))
    expect(kept.address).toBe(one!.ip)
    expect((await test.run(() => kept.exchange({ content: 1, bytes: 1 }))).content).toBe(1)
    test.client.delete(services, 'shop', 'web')
    expect((await test.time(() => test.clientPod.network.connect(address, 80))).result).toBe('ECONNREFUSED')
  })

  it('refuses connections at once without endpoints, on another port and without a target', async () => {
    const test = createFixture()
    const address = test.addService('empty', {})
    const full = test.addService('full', {}, test.servers)
    const wrong = test.addService('wrong', { ports: [{ port: 80, targetPort: 9999 }] }, test.servers)
    for (const [host, port] of [
      [address, 80],
      [full, 81],
      [wrong, 80],
      ['10.96.99.99', 80],
    ] as const) {
      const { result, ms } = await test.time(() => test.clientPod.network.connect(host, port))
      expect({ host, result }).toEqual({ host, result: 'ECONNREFUSED' })
      expect(ms).toBeLessThan(1)
    }
  })

  it('uses terminating endpoints only if no other is ready', async () => {
    const test = createFixture()
    const address = test.addService('web', {})
    const endpointsOf = (conditions: object[]): object[] =>
      conditions.map((each, index) => ({ addresses: [test.servers[index]!.ip], conditions: each }))
    const write = (conditions: object[]): void => {
      if (test.client.get(endpointSlices, 'shop', 'web-1') !== undefined)
        test.client.delete(endpointSlices, 'shop', 'web-1')
      test.client.create(endpointSlices, {
        metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
        addressType: 'IPv4',
        endpoints: endpointsOf(conditions),
        ports: [{ name: '', protocol: 'TCP', port: 8080 }],
      } as never)
    }
    const terminating = { ready: false, serving: true, terminating: true }
    write([terminating, { ready: true }, { ready: false }])
    expect(new Set(await addressesOf(test, test.clientPod, address))).toEqual(new Set([test.servers[1]!.ip]))
    write([terminating, { ready: false }])
    expect(new Set(await addressesOf(test, test.clientPod, address))).toEqual(new Set([test.servers[0]!.ip]))
  })

  it('sends a client to the same endpoint if it has session affinity', async () => {
    const test = createFixture()
    const address = test.addService(
      'web',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 100 } } },
      test.servers,
    )
    const clients = Array.from({ length: 8 }, (_, index) => test.addPod(`client-${index}`))
    const chosen: (string | undefined)[] = []
    for (const pod of clients) {
      const addresses = new Set(await addressesOf(test, pod, address, { count: 10 }))
      expect(addresses.size).toBe(1)
      chosen.push(...addresses)
    }
    expect(new Set(chosen).size).toBeGreaterThan(1)
    const after: (string | undefined)[] = []
    for (let index = 0; index < 10; index += 1) {
      await test.run(() => sleep(test.clock, 101_000))
      after.push(...(await addressesOf(test, clients[0]!, address, { count: 1 })))
    }
    expect(new Set(after).size).toBeGreaterThan(1)
  })

  it('with internalTrafficPolicy Local uses only endpoints on the node of the client', async () => {
    const test = createFixture()
    const [one, two, three] = test.servers
    const address = test.addService('web', { internalTrafficPolicy: 'Local' })
    test.client.create(endpointSlices, {
      metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [two!, three!].map(({ ip }) => ({
        addresses: [ip],
        nodeName: 'node2',
        conditions: { ready: true },
      })),
      ports: [{ name: '', protocol: 'TCP', port: 8080 }],
    } as never)
    expect((await addressesOf(test, two!, address, { count: 5 })).length).toBe(5)
    expect((await test.time(() => one!.network.connect(address, 80))).result).toBe('ETIMEDOUT')
  })

  it('can connect a pod to itself, through its node', async () => {
    const test = createFixture()
    const [one] = test.servers
    const seen: string[] = []
    one!.network.listen(9090, ({ from }) => {
      seen.push(from)
      return async (request) => request
    })
    const address = test.addService('self', { ports: [{ port: 80, targetPort: 9090 }] }, [one!])
    await test.run(() => one!.network.connect(address, 80))
    expect(seen).toEqual(['172.18.0.2'])
  })
})

describe('ports of nodes', () => {
  it('lead to Services, which see the node as their client', async () => {
    const test = createFixture()
    const [one] = test.servers
    const seen: string[] = []
    one!.network.listen(9090, ({ from }) => {
      seen.push(from)
      return async (request) => request
    })
    test.addService('web', { type: 'NodePort', ports: [{ port: 80, targetPort: 9090, nodePort: 30080 }] }, [
      one!,
    ])
    await test.run(() => test.clientPod.network.connect('172.18.0.3', 30080))
    expect(seen).toEqual(['172.18.0.3'])
    expect((await test.time(() => test.clientPod.network.connect('172.18.0.3', 30081))).result).toBe(
      'ECONNREFUSED',
    )
  })

  it('lead to pods with host ports while they exist', async () => {
    const test = createFixture()
    const ports = [{ containerPort: 9090, hostPort: 9999 }]
    const pod = test.addPod('host', { spec: { containers: [{ name: 'c', image: 'c:1', ports }] } })
    serveEcho(pod, 9090)
    const { address } = await test.run(() => test.clientPod.network.connect('172.18.0.2', 9999))
    expect(address).toBe(pod.ip)
    pod.model.detach()
    expect((await test.time(() => test.clientPod.network.connect('172.18.0.2', 9999))).result).toBe(
      'ECONNREFUSED',
    )
  })

  it('are shared by pods with hostNetwork', async () => {
    const test = createFixture()
    const spec = { hostNetwork: true }
    const [first, second] = [test.addPod('first', { spec }), test.addPod('second', { spec })]
    expect(first.ip).toBe('172.18.0.2')
    serveEcho(first, 9100)
    expect(() => serveEcho(second, 9100)).toThrow('EADDRINUSE')
    const connection = await test.run(() => test.clientPod.network.connect('172.18.0.2', 9100))
    first.model.detach()
    serveEcho(second, 9100)
    await test.run(() => sleep(test.clock, 1))
    expect(connection.isClosed).toBe(true)
    expect((await test.run(() => test.clientPod.network.connect('172.18.0.2', 9100))).address).toBe(second.ip)
  })
})

describe('users outside the cluster', () => {
  it('reach Services, which see an address outside', async () => {
    const test = createFixture()
    const [one] = test.servers
    const seen: string[] = []
    one!.network.listen(9090, ({ from }) => {
      seen.push(from)
      return async (request) => request
    })
    test.addService('web', { ports: [{ port: 80, targetPort: 9090 }] }, [one!])
    const entry = { namespace: 'shop', service: 'web', port: 80 }
    await test.run(() => test.network.connectFromOutside(entry))
    expect(seen).toEqual(['172.18.0.1'])
    test.setEndpoints('web', [])
    expect((await test.time(() => test.network.connectFromOutside(entry))).result).toBe('ECONNREFUSED')
    const missing = { ...entry, service: 'missing' }
    expect((await test.time(() => test.network.connectFromOutside(missing))).result).toBe('ECONNREFUSED')
  })
})

describe('the address of the API server', () => {
  it('is reached by pods while the laboratory listens there', async () => {
    const test = createFixture()
    const listener = test.network.listenOutside(6443, () => async ({ content }) => ({ content, bytes: 10 }))
    expect(() => test.network.listenOutside(6443, () => async (request) => request)).toThrow('EADDRINUSE')
    const connect = () => test.clientPod.network.connect('172.18.0.1', 6443)
    const connection = await test.run(connect)
    expect((await test.run(() => connection.exchange({ content: 'x', bytes: 1 }))).content).toBe('x')
    listener.close()
    expect((await test.time(connect)).result).toBe('ECONNREFUSED')
  })
})
