/** Needs root: Services in force in the network of the kernel. */
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { endpointSlices, pods, services } from '../kinds/index.ts'
import type { Draft } from '../meta/index.ts'
import {
  ask,
  askByDatagram,
  createTestNetwork,
  openDatagrams,
  openEcho,
  serve,
  serveDatagrams,
  serveEcho,
  type TestNetwork,
  type TestPod,
  until,
} from './testing/create-test-network.ts'

const WEB = { app: 'web' }
const PORT = { port: 80, targetPort: 8080 }

/** Two endpoints on two nodes that say their names, and a client on a third. */
const twoWebsAndClient = async (test: TestNetwork): Promise<TestPod[]> => {
  const [one, two, client] = await Promise.all([
    test.run('one', { labels: WEB, node: 'node1' }),
    test.run('two', { labels: WEB, node: 'node2' }),
    test.run('client', { node: 'node3' }),
  ])
  serve(one, 8080, 'one')
  serve(two, 8080, 'two')
  return [one, two, client]
}

/** Who answered how often. */
const tally = async (times: number, question: () => Promise<string>): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (let time = 0; time < times; time += 1) {
    const answer = (await question()).split(' ')[0]!
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}

describe('a Service', () => {
  it('spreads connections over its endpoints, from pods and from nodes', async () => {
    const test = await createTestNetwork()
    const [, two, client] = (await twoWebsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.service('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    const counts = await tally(60, () => ask(client.space, clusterIP!, 80))
    expect(Object.keys(counts).sort()).toEqual(['one', 'two'])
    expect(counts.one).toBeGreaterThan(12)
    expect(counts.two).toBeGreaterThan(12)
    expect(await ask(client.space, clusterIP!, 80)).toMatch(` to ${client.ip}`)
    expect(await ask(test.network.namespace, clusterIP!, 80)).toMatch(/ to 172\.18\.0\.1$/)
    // Its other ports and addresses that no Service has are refused.
    expect(await ask(client.space, clusterIP!, 81)).toBe('ECONNREFUSED')
    expect(await ask(client.space, '10.96.77.77', 80)).toBe('ECONNREFUSED')

    test.client.delete(pods, 'default', 'one', { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await tally(20, () => ask(client.space, clusterIP!, 80))).toEqual({ two: 20 })
    expect(two.ip).toBe('10.244.1.2')
    test.client.delete(services, 'default', 'web')
    await test.settle()
    expect(await ask(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
  })

  it('without endpoints refuses at once, over TCP and UDP, under all its addresses', async () => {
    const test = await createTestNetwork()
    const client = await test.run('client')
    const both = [
      { name: 'tcp', port: 80, protocol: 'TCP', nodePort: 30080 },
      { name: 'udp', port: 80, protocol: 'UDP', nodePort: 30080 },
    ]
    const { clusterIP } = test.service('web', {
      type: 'NodePort',
      selector: WEB,
      ports: both,
      externalIPs: ['203.0.113.5'],
    }).spec
    await test.settle()
    expect(await ask(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await ask(test.network.namespace, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await ask(client.space, '172.18.0.3', 30080)).toBe('ECONNREFUSED')
    expect(await askByDatagram(client, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await askByDatagram(client, '172.18.0.3', 30080)).toBe('ECONNREFUSED')
  })

  it('leads a pod back to itself', async () => {
    const test = await createTestNetwork()
    const one = await test.run('one', { labels: WEB, node: 'node2' })
    serve(one, 8080, 'one')
    const { clusterIP } = test.service('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    expect(await ask(one.space, clusterIP!, 80)).toBe('one to 172.18.0.3')
  })

  it('leads to pods in the network of their host, and these to themselves and to others', async () => {
    const test = await createTestNetwork()
    const ports = [{ containerPort: 8080, hostPort: 8080 }]
    const host = await test.run('host', {
      labels: WEB,
      spec: { hostNetwork: true, containers: [{ name: 'c', image: 'c:1', ports }] },
    })
    const other = await test.run('other', { node: 'node2', spec: { hostNetwork: true } })
    const client = await test.run('client')
    serve(host, 8080, 'host')
    const { clusterIP } = test.service('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    expect(await ask(client.space, clusterIP!, 80)).toBe(`host to ${client.ip}`)
    expect(await ask(other.space, clusterIP!, 80)).toBe('host to 172.18.0.3')
    expect(await ask(host.space, clusterIP!, 80)).toBe('host to 172.18.0.1')
  })

  it('answers on a port of every node and on external addresses', async () => {
    const test = await createTestNetwork()
    const [one, , client] = (await twoWebsAndClient(test)) as [TestPod, TestPod, TestPod]
    test.service('web', {
      type: 'NodePort',
      selector: WEB,
      ports: [{ ...PORT, nodePort: 30080 }],
      externalIPs: ['203.0.113.5'],
    })
    await test.settle()
    for (const node of ['172.18.0.2', '172.18.0.3', '172.18.0.4']) {
      expect(await ask(client.space, node, 30080)).toMatch(new RegExp(`^(one|two) to ${node}$`))
      expect(await ask(test.network.namespace, node, 30080, { from: '172.18.0.1' })).toMatch(/^(one|two) to /)
      expect(await ask(one.space, node, 30080)).toMatch(/^(one|two) to /)
    }
    expect(await ask(client.space, '203.0.113.5', 80)).toMatch(/^(one|two) to /)
    expect(await ask(client.space, '172.18.0.1', 30080)).toBe('ECONNREFUSED')
  })

  it('keeps a client at its endpoint where it has affinity', async () => {
    const test = await createTestNetwork()
    const [one, , client] = (await twoWebsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.service('web', {
      selector: WEB,
      ports: [PORT],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } },
    }).spec
    await test.settle()
    const first = await tally(20, () => ask(client.space, clusterIP!, 80))
    const [chosen] = Object.keys(first)
    expect(first).toEqual({ [chosen!]: 20 })
    // Other changes do not make it forget.
    test.service('other', { selector: WEB, ports: [PORT] })
    await test.settle()
    expect(await tally(5, () => ask(client.space, clusterIP!, 80))).toEqual({ [chosen!]: 5 })
    // After a time without connections it may be another one.
    const seen = new Set([chosen])
    for (let round = 0; round < 12 && seen.size < 2; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1200))
      seen.add((await ask(client.space, clusterIP!, 80)).split(' ')[0])
    }
    expect(seen.size).toBe(2)
    // Its endpoint goes: it gets the other.
    test.client.delete(pods, 'default', one.name, { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await tally(5, () => ask(client.space, clusterIP!, 80))).toEqual({ two: 5 })
  }, 30_000)

  it('carries datagrams', async () => {
    const test = await createTestNetwork()
    const one = await test.run('one', { labels: WEB })
    const client = await test.run('client', { node: 'node2' })
    await serveDatagrams(one, 5300, 'one')
    const { clusterIP } = test.service('dns', {
      selector: WEB,
      ports: [{ port: 53, targetPort: 5300, protocol: 'UDP' }],
    }).spec
    await test.settle()
    expect(await askByDatagram(client, clusterIP!, 53)).toBe('one')
    expect(await askByDatagram(one, clusterIP!, 53)).toBe('one')
  })

  it('leads the datagrams of an old socket to a new endpoint', async () => {
    const test = await createTestNetwork()
    const one = await test.run('one', { labels: WEB })
    const client = await test.run('client', { node: 'node2' })
    await serveDatagrams(one, 5300, 'one')
    const { clusterIP } = test.service('dns', {
      selector: WEB,
      ports: [{ port: 53, targetPort: 5300, protocol: 'UDP' }],
    }).spec
    await test.settle()
    const question = await openDatagrams(client, clusterIP!, 53)
    expect(await question()).toBe('one')
    const two = await test.run('two', { labels: WEB })
    await serveDatagrams(two, 5300, 'two')
    expect(await question()).toBe('one')
    test.client.delete(pods, 'default', 'one', { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await question()).toBe('two')
  })

  it('stays on the node where its policy says so', async () => {
    const test = await createTestNetwork()
    const [one, two, client] = (await twoWebsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.service('inside', {
      selector: WEB,
      ports: [PORT],
      internalTrafficPolicy: 'Local',
    }).spec
    test.service('outside', {
      type: 'NodePort',
      selector: WEB,
      ports: [{ ...PORT, nodePort: 30081 }],
      externalTrafficPolicy: 'Local',
    })
    await test.settle()
    expect(await tally(10, () => ask(one.space, clusterIP!, 80))).toEqual({ one: 10 })
    expect(await tally(10, () => ask(two.space, clusterIP!, 80))).toEqual({ two: 10 })
    expect(await ask(client.space, clusterIP!, 80)).toBe('timeout')
    const fromOutside = (node: string): Promise<string> =>
      ask(test.network.namespace, node, 30081, { from: '172.18.0.1' })
    expect(await tally(10, () => fromOutside('172.18.0.2'))).toEqual({ one: 10 })
    expect(await fromOutside('172.18.0.3')).toBe('two to 172.18.0.1')
    expect(await fromOutside('172.18.0.4')).toBe('timeout')
    // Whoever is in the cluster gets any of them.
    expect(Object.keys(await tally(30, () => ask(client.space, '172.18.0.4', 30081))).sort()).toEqual([
      'one',
      'two',
    ])
  })

  it('uses endpoints that end only while there is no other', async () => {
    const test = await createTestNetwork()
    const [one, two, client] = (await twoWebsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.service('web', { ports: [PORT] }).spec
    const endpoint = (ip: string, ready: boolean, serving = ready, terminating = false) => ({
      addresses: [ip],
      conditions: { ready, serving, terminating },
    })
    const slice = (...endpoints: EndpointSlice['endpoints']): Draft<EndpointSlice> => ({
      metadata: { name: 'web-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints,
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    })
    const put = async (...endpoints: EndpointSlice['endpoints']): Promise<void> => {
      const current = test.client.get(endpointSlices, 'default', 'web-1')
      if (current === undefined) test.client.create(endpointSlices, slice(...endpoints))
      else test.client.update(endpointSlices, { ...current, endpoints })
      await test.settle()
    }
    await put(endpoint(one.ip, true), endpoint(two.ip, false, true, true))
    expect(await tally(15, () => ask(client.space, clusterIP!, 80))).toEqual({ one: 15 })
    await put(endpoint(one.ip, false), endpoint(two.ip, false, true, true))
    expect(await tally(15, () => ask(client.space, clusterIP!, 80))).toEqual({ two: 15 })
    await put(endpoint(one.ip, false), endpoint(two.ip, false))
    expect(await ask(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
  })

  it('is in force soon after its endpoints, among sixty others', async () => {
    const test = await createTestNetwork()
    const one = await test.run('one', { labels: WEB })
    serve(one, 8080, 'one')
    for (let index = 0; index < 60; index += 1) test.service(`web${index}`, { selector: WEB, ports: [PORT] })
    const late = test.service('late', { ports: [PORT] })
    await test.settle()
    expect(await ask(one.space, late.spec.clusterIP!, 80)).toBe('ECONNREFUSED')
    test.client.create(endpointSlices, {
      metadata: { name: 'late-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'late' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [one.ip] }],
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    })
    await until(async () => (await ask(one.space, late.spec.clusterIP!, 80)).startsWith('one'), 1000)
  })

  it('leads to the API server', async () => {
    const test = await createTestNetwork()
    const client = await test.run('client')
    serve({ space: test.network.namespace }, 6443, 'api')
    const { clusterIP } = test.service('api', { ports: [{ name: 'https', port: 443 }] }).spec
    test.client.create(endpointSlices, {
      metadata: { name: 'api', namespace: 'default', labels: { 'kubernetes.io/service-name': 'api' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['172.18.0.1'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    })
    await test.settle()
    expect(await ask(client.space, clusterIP!, 443)).toBe(`api to ${client.ip}`)
  })

  it('tells whoever still talks to a pod that has gone without a word', async () => {
    const test = await createTestNetwork()
    const one = await test.run('one', { labels: WEB })
    const client = await test.run('client', { node: 'node2' })
    serveEcho(one, 8080)
    const { clusterIP } = test.service('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    const echo = await openEcho(client, clusterIP!, 80)
    expect(await echo('before')).toBe('before')
    const { uid } = test.client.get(pods, 'default', 'one')!.metadata
    await new Promise((resolve) => test.network.detachPod(uid, resolve))
    expect(await echo('after')).toBe('ECONNRESET')
  })

  it('leaves open connections alone when its endpoints change', async () => {
    const test = await createTestNetwork()
    const one = await test.run('one', { labels: WEB })
    const client = await test.run('client', { node: 'node2' })
    serveEcho(one, 8080)
    const { clusterIP } = test.service('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    const echo = await openEcho(client, clusterIP!, 80)
    expect(await echo('before')).toBe('before')
    await test.run('two', { labels: WEB })
    test.client.update(pods, {
      ...test.client.get(pods, 'default', 'one')!,
      metadata: {
        ...test.client.get(pods, 'default', 'one')!.metadata,
        labels: {},
      },
    })
    await test.settle()
    expect(await ask(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await echo('after')).toBe('after')
  })
})

describe('a port of the host', () => {
  it('leads to the pod that has it, as long as it is there', async () => {
    const test = await createTestNetwork()
    const ports = [{ containerPort: 8080, hostPort: 9999 }]
    const one = await test.run('one', { spec: { containers: [{ name: 'c', image: 'c:1', ports }] } })
    const client = await test.run('client', { node: 'node2' })
    serve(one, 8080, 'one')
    await test.settle()
    expect(await ask(client.space, '172.18.0.2', 9999)).toBe(`one to ${client.ip}`)
    expect(await ask(one.space, '172.18.0.2', 9999)).toBe('one to 172.18.0.2')
    expect(await ask(test.network.namespace, '172.18.0.2', 9999, { from: '172.18.0.1' })).toBe(
      'one to 172.18.0.1',
    )
    expect(await ask(client.space, '172.18.0.3', 9999)).toBe('ECONNREFUSED')
    test.client.delete(pods, 'default', 'one', { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await ask(client.space, '172.18.0.2', 9999)).toBe('ECONNREFUSED')
  })
})
