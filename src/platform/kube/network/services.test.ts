/** Needs root: tests Services in real network namespaces. */
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { endpointSlices, pods, services } from '#platform/kube/kinds'
import type { Draft } from '#platform/kube/meta'
import {
  connectTo,
  createTestNetwork,
  openDatagrams,
  openEcho,
  sendDatagram,
  serve,
  serveDatagrams,
  serveEcho,
  type TestNetwork,
  type TestPod,
  waitUntil,
} from './testing/create-test-network.ts'

const WEB = { app: 'web' }
const PORT = { port: 80, targetPort: 8080 }

/** Creates two endpoints on different nodes, which answer with their names, and a client on a third node. */
const createWebPodsAndClient = async (test: TestNetwork): Promise<TestPod[]> => {
  const [first, second, client] = await Promise.all([
    test.runPod('first', { labels: WEB, node: 'node1' }),
    test.runPod('second', { labels: WEB, node: 'node2' }),
    test.runPod('client', { node: 'node3' }),
  ])
  serve(first, 8080, 'first')
  serve(second, 8080, 'second')
  return [first, second, client]
}

/** Counts the answers of each endpoint. */
const countAnswers = async (
  times: number,
  sendRequest: () => Promise<string>,
): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (let time = 0; time < times; time += 1) {
    const answer = (await sendRequest()).split(' ')[0]!
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}

describe('a Service', () => {
  it('balances connections from pods and nodes over its endpoints', async () => {
    const test = await createTestNetwork()
    const [, second, client] = (await createWebPodsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.createService('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    const counts = await countAnswers(60, () => connectTo(client.space, clusterIP!, 80))
    expect(Object.keys(counts).sort()).toEqual(['first', 'second'])
    expect(counts.first).toBeGreaterThan(12)
    expect(counts.second).toBeGreaterThan(12)
    expect(await connectTo(client.space, clusterIP!, 80)).toMatch(` to ${client.ip}`)
    expect(await connectTo(test.network.namespace, clusterIP!, 80)).toMatch(/ to 172\.18\.0\.1$/)
    // Other ports and unassigned Service addresses are refused.
    expect(await connectTo(client.space, clusterIP!, 81)).toBe('ECONNREFUSED')
    expect(await connectTo(client.space, '10.96.77.77', 80)).toBe('ECONNREFUSED')

    test.client.delete(pods, 'default', 'first', { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await countAnswers(20, () => connectTo(client.space, clusterIP!, 80))).toEqual({ second: 20 })
    expect(second.ip).toBe('10.244.1.2')
    test.client.delete(services, 'default', 'web')
    await test.settle()
    expect(await connectTo(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
  })

  it('without endpoints refuses TCP and UDP at once on all its addresses', async () => {
    const test = await createTestNetwork()
    const client = await test.runPod('client')
    const ports = [
      { name: 'tcp', port: 80, protocol: 'TCP', nodePort: 30080 },
      { name: 'udp', port: 80, protocol: 'UDP', nodePort: 30080 },
    ]
    const { clusterIP } = test.createService('web', {
      type: 'NodePort',
      selector: WEB,
      ports,
      externalIPs: ['203.0.113.5'],
    }).spec
    await test.settle()
    expect(await connectTo(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await connectTo(test.network.namespace, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await connectTo(client.space, '172.18.0.3', 30080)).toBe('ECONNREFUSED')
    expect(await sendDatagram(client, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await sendDatagram(client, '172.18.0.3', 30080)).toBe('ECONNREFUSED')
  })

  it('connects a pod to itself', async () => {
    const test = await createTestNetwork()
    const first = await test.runPod('first', { labels: WEB, node: 'node2' })
    serve(first, 8080, 'first')
    const { clusterIP } = test.createService('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    expect(await connectTo(first.space, clusterIP!, 80)).toBe('first to 172.18.0.3')
  })

  it('supports endpoints and clients with hostNetwork', async () => {
    const test = await createTestNetwork()
    const ports = [{ containerPort: 8080, hostPort: 8080 }]
    const host = await test.runPod('host', {
      labels: WEB,
      spec: { hostNetwork: true, containers: [{ name: 'c', image: 'c:1', ports }] },
    })
    const hostClient = await test.runPod('other', { node: 'node2', spec: { hostNetwork: true } })
    const client = await test.runPod('client')
    serve(host, 8080, 'host')
    const { clusterIP } = test.createService('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    expect(await connectTo(client.space, clusterIP!, 80)).toBe(`host to ${client.ip}`)
    expect(await connectTo(hostClient.space, clusterIP!, 80)).toBe('host to 172.18.0.3')
    expect(await connectTo(host.space, clusterIP!, 80)).toBe('host to 172.18.0.1')
  })

  it('listens on node ports and external addresses', async () => {
    const test = await createTestNetwork()
    const [first, , client] = (await createWebPodsAndClient(test)) as [TestPod, TestPod, TestPod]
    test.createService('web', {
      type: 'NodePort',
      selector: WEB,
      ports: [{ ...PORT, nodePort: 30080 }],
      externalIPs: ['203.0.113.5'],
    })
    await test.settle()
    for (const node of ['172.18.0.2', '172.18.0.3', '172.18.0.4']) {
      expect(await connectTo(client.space, node, 30080)).toMatch(new RegExp(`^(first|second) to ${node}$`))
      expect(await connectTo(test.network.namespace, node, 30080, { from: '172.18.0.1' })).toMatch(
        /^(first|second) to /,
      )
      expect(await connectTo(first.space, node, 30080)).toMatch(/^(first|second) to /)
    }
    expect(await connectTo(client.space, '203.0.113.5', 80)).toMatch(/^(first|second) to /)
    expect(await connectTo(client.space, '172.18.0.1', 30080)).toBe('ECONNREFUSED')
  })

  it('supports ClientIP affinity', async () => {
    const test = await createTestNetwork()
    const [first, , client] = (await createWebPodsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.createService('web', {
      selector: WEB,
      ports: [PORT],
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } },
    }).spec
    await test.settle()
    const answers = await countAnswers(20, () => connectTo(client.space, clusterIP!, 80))
    const [chosen] = Object.keys(answers)
    expect(answers).toEqual({ [chosen!]: 20 })
    // Unrelated changes keep the affinity.
    test.createService('other', { selector: WEB, ports: [PORT] })
    await test.settle()
    expect(await countAnswers(5, () => connectTo(client.space, clusterIP!, 80))).toEqual({ [chosen!]: 5 })
    // The affinity times out.
    const seen = new Set([chosen])
    for (let round = 0; round < 12 && seen.size < 2; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1200))
      seen.add((await connectTo(client.space, clusterIP!, 80)).split(' ')[0])
    }
    expect(seen.size).toBe(2)
    // After an endpoint is removed, the client gets the other one.
    test.client.delete(pods, 'default', first.name, { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await countAnswers(5, () => connectTo(client.space, clusterIP!, 80))).toEqual({ second: 5 })
  }, 30_000)

  it('forwards datagrams', async () => {
    const test = await createTestNetwork()
    const first = await test.runPod('first', { labels: WEB })
    const client = await test.runPod('client', { node: 'node2' })
    await serveDatagrams(first, 5300, 'first')
    const { clusterIP } = test.createService('dns', {
      selector: WEB,
      ports: [{ port: 53, targetPort: 5300, protocol: 'UDP' }],
    }).spec
    await test.settle()
    expect(await sendDatagram(client, clusterIP!, 53)).toBe('first')
    expect(await sendDatagram(first, clusterIP!, 53)).toBe('first')
  })

  it('sends the datagrams of an open socket to a new endpoint once the old one is removed', async () => {
    const test = await createTestNetwork()
    const first = await test.runPod('first', { labels: WEB })
    const client = await test.runPod('client', { node: 'node2' })
    await serveDatagrams(first, 5300, 'first')
    const { clusterIP } = test.createService('dns', {
      selector: WEB,
      ports: [{ port: 53, targetPort: 5300, protocol: 'UDP' }],
    }).spec
    await test.settle()
    const sendRequest = await openDatagrams(client, clusterIP!, 53)
    expect(await sendRequest()).toBe('first')
    const second = await test.runPod('second', { labels: WEB })
    await serveDatagrams(second, 5300, 'second')
    expect(await sendRequest()).toBe('first')
    test.client.delete(pods, 'default', 'first', { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await sendRequest()).toBe('second')
  })

  it('supports the traffic policy Local', async () => {
    const test = await createTestNetwork()
    const [first, second, client] = (await createWebPodsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.createService('inside', {
      selector: WEB,
      ports: [PORT],
      internalTrafficPolicy: 'Local',
    }).spec
    test.createService('outside', {
      type: 'NodePort',
      selector: WEB,
      ports: [{ ...PORT, nodePort: 30081 }],
      externalTrafficPolicy: 'Local',
    })
    await test.settle()
    expect(await countAnswers(10, () => connectTo(first.space, clusterIP!, 80))).toEqual({ first: 10 })
    expect(await countAnswers(10, () => connectTo(second.space, clusterIP!, 80))).toEqual({ second: 10 })
    expect(await connectTo(client.space, clusterIP!, 80)).toBe('timeout')
    const connectFromOutside = (node: string): Promise<string> =>
      connectTo(test.network.namespace, node, 30081, { from: '172.18.0.1' })
    expect(await countAnswers(10, () => connectFromOutside('172.18.0.2'))).toEqual({ first: 10 })
    expect(await connectFromOutside('172.18.0.3')).toBe('second to 172.18.0.1')
    expect(await connectFromOutside('172.18.0.4')).toBe('timeout')
    // Clients inside the cluster reach all endpoints.
    expect(
      Object.keys(await countAnswers(30, () => connectTo(client.space, '172.18.0.4', 30081))).sort(),
    ).toEqual(['first', 'second'])
  })

  it('uses terminating endpoints only if no other is ready', async () => {
    const test = await createTestNetwork()
    const [first, second, client] = (await createWebPodsAndClient(test)) as [TestPod, TestPod, TestPod]
    const { clusterIP } = test.createService('web', { ports: [PORT] }).spec
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
    const setEndpoints = async (...endpoints: EndpointSlice['endpoints']): Promise<void> => {
      const current = test.client.get(endpointSlices, 'default', 'web-1')
      if (current === undefined) test.client.create(endpointSlices, slice(...endpoints))
      else test.client.update(endpointSlices, { ...current, endpoints })
      await test.settle()
    }
    await setEndpoints(endpoint(first.ip, true), endpoint(second.ip, false, true, true))
    expect(await countAnswers(15, () => connectTo(client.space, clusterIP!, 80))).toEqual({ first: 15 })
    await setEndpoints(endpoint(first.ip, false), endpoint(second.ip, false, true, true))
    expect(await countAnswers(15, () => connectTo(client.space, clusterIP!, 80))).toEqual({ second: 15 })
    await setEndpoints(endpoint(first.ip, false), endpoint(second.ip, false))
    expect(await connectTo(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
  })

  it('takes effect within a second after its endpoints change, even among sixty other Services', async () => {
    const test = await createTestNetwork()
    const first = await test.runPod('first', { labels: WEB })
    serve(first, 8080, 'first')
    for (let index = 0; index < 60; index += 1)
      test.createService(`web${index}`, { selector: WEB, ports: [PORT] })
    const late = test.createService('late', { ports: [PORT] })
    await test.settle()
    expect(await connectTo(first.space, late.spec.clusterIP!, 80)).toBe('ECONNREFUSED')
    test.client.create(endpointSlices, {
      metadata: { name: 'late-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'late' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [first.ip] }],
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    })
    await waitUntil(
      async () => (await connectTo(first.space, late.spec.clusterIP!, 80)).startsWith('first'),
      1000,
    )
  })

  it('can have the API server as its endpoint', async () => {
    const test = await createTestNetwork()
    const client = await test.runPod('client')
    serve({ space: test.network.namespace }, 6443, 'api')
    const { clusterIP } = test.createService('api', { ports: [{ name: 'https', port: 443 }] }).spec
    test.client.create(endpointSlices, {
      metadata: { name: 'api', namespace: 'default', labels: { 'kubernetes.io/service-name': 'api' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['172.18.0.1'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    })
    await test.settle()
    expect(await connectTo(client.space, clusterIP!, 443)).toBe(`api to ${client.ip}`)
  })

  it('resets connections to a pod that was removed without closing them', async () => {
    const test = await createTestNetwork()
    const first = await test.runPod('first', { labels: WEB })
    const client = await test.runPod('client', { node: 'node2' })
    serveEcho(first, 8080)
    const { clusterIP } = test.createService('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    const echo = await openEcho(client, clusterIP!, 80)
    expect(await echo('before')).toBe('before')
    const { uid } = test.client.get(pods, 'default', 'first')!.metadata
    await new Promise((resolve) => test.network.detachPod(uid, resolve))
    expect(await echo('after')).toBe('ECONNRESET')
  })

  it('keeps open connections when its endpoints change', async () => {
    const test = await createTestNetwork()
    const first = await test.runPod('first', { labels: WEB })
    const client = await test.runPod('client', { node: 'node2' })
    serveEcho(first, 8080)
    const { clusterIP } = test.createService('web', { selector: WEB, ports: [PORT] }).spec
    await test.settle()
    const echo = await openEcho(client, clusterIP!, 80)
    expect(await echo('before')).toBe('before')
    await test.runPod('second', { labels: WEB })
    test.client.update(pods, {
      ...test.client.get(pods, 'default', 'first')!,
      metadata: {
        ...test.client.get(pods, 'default', 'first')!.metadata,
        labels: {},
      },
    })
    await test.settle()
    expect(await connectTo(client.space, clusterIP!, 80)).toBe('ECONNREFUSED')
    expect(await echo('after')).toBe('after')
  })
})

describe('a host port', () => {
  it('reaches its pod until the pod is removed', async () => {
    const test = await createTestNetwork()
    const ports = [{ containerPort: 8080, hostPort: 9999 }]
    const first = await test.runPod('first', { spec: { containers: [{ name: 'c', image: 'c:1', ports }] } })
    const client = await test.runPod('client', { node: 'node2' })
    serve(first, 8080, 'first')
    await test.settle()
    expect(await connectTo(client.space, '172.18.0.2', 9999)).toBe(`first to ${client.ip}`)
    expect(await connectTo(first.space, '172.18.0.2', 9999)).toBe('first to 172.18.0.2')
    expect(await connectTo(test.network.namespace, '172.18.0.2', 9999, { from: '172.18.0.1' })).toBe(
      'first to 172.18.0.1',
    )
    expect(await connectTo(client.space, '172.18.0.3', 9999)).toBe('ECONNREFUSED')
    test.client.delete(pods, 'default', 'first', { gracePeriodSeconds: 0 })
    await test.settle()
    expect(await connectTo(client.space, '172.18.0.2', 9999)).toBe('ECONNREFUSED')
  })
})
