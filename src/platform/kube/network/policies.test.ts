/** Needs root: tests NetworkPolicies in real network namespaces. */
import type { NetworkPolicySpec } from 'kubernetes-types/networking/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { namespaces, networkPolicies, pods } from '#platform/kube/kinds'
import {
  attachPod,
  canPing,
  connectTo,
  createTestNetwork,
  openEcho,
  openNodeNamespace,
  serve,
  serveEcho,
  type TestNetwork,
  type TestPod,
} from './testing/create-test-network.ts'

const PORTS = [
  { name: 'http', containerPort: 8080 },
  { name: 'admin', containerPort: 9090 },
]

interface Fixture extends TestNetwork {
  web: TestPod
  allowed: TestPod
  denied: TestPod
  outsider: TestPod
  createPolicy(name: string, spec: NetworkPolicySpec): Promise<void>
  deletePolicy(name: string): Promise<void>
}

/** A server with two ports, a client on another node, one on the same node and one in another namespace. */
const createFixture = async (): Promise<Fixture> => {
  const test = await createTestNetwork()
  test.client.create(namespaces, { metadata: { name: 'other', labels: { team: 'other' } } })
  const [web, allowed, denied, outsider] = await Promise.all([
    test.runPod('web', { spec: { containers: [{ name: 'c', image: 'c:1', ports: PORTS }] } }),
    test.runPod('allowed', { node: 'node2' }),
    test.runPod('denied'),
    test.runPod('outsider', { namespace: 'other', labels: { app: 'allowed' } }),
  ])
  for (const pod of [web, allowed, denied, outsider]) {
    serve(pod, 8080, pod.name)
    serve(pod, 9090, pod.name)
  }
  return {
    ...test,
    web,
    allowed,
    denied,
    outsider,
    async createPolicy(name, spec) {
      test.client.create(networkPolicies, { metadata: { name, namespace: 'default' }, spec })
      await test.settle()
    },
    async deletePolicy(name) {
      test.client.delete(networkPolicies, 'default', name)
      await test.settle()
    },
  }
}

/** Whether a connection succeeds. */
const reaches = async (from: TestPod, to: TestPod, port = 8080): Promise<boolean> => {
  const answer = await connectTo(from.space, to.ip, port, { timeoutMs: 250 })
  expect(['timeout', `${to.name} to ${from.ip}`]).toContain(answer)
  return answer !== 'timeout'
}

const SELECT_WEB = { podSelector: { matchLabels: { app: 'web' } } }
const ALLOWED = { podSelector: { matchLabels: { app: 'allowed' } } }

describe('a NetworkPolicy', () => {
  it('isolates its pods until it is deleted, but allows replies', async () => {
    const { web, allowed, denied, network, createService, createPolicy, deletePolicy } = await createFixture()
    const ports = [{ port: 80, targetPort: 8080 }]
    const { clusterIP } = createService('web', { selector: { app: 'web' }, ports }).spec
    expect(await reaches(allowed, web)).toBe(true)
    await createPolicy('deny', SELECT_WEB)
    expect(await reaches(allowed, web)).toBe(false)
    expect(await reaches(denied, web)).toBe(false)
    expect(await canPing(denied.space, web.ip)).toBe(false)
    // Only ingress is forbidden.
    expect(await reaches(web, allowed)).toBe(true)
    expect(await reaches(allowed, denied)).toBe(true)
    // The pod's node and the pod itself are allowed; other nodes are not.
    const connectFromNode = async (node: string): Promise<string> =>
      connectTo(await openNodeNamespace(network, node), web.ip, 8080, { timeoutMs: 250 })
    expect(await connectFromNode('node1')).toBe('web to 172.18.0.2')
    expect(await connectFromNode('node2')).toBe('timeout')
    expect(await connectTo(web.space, clusterIP!, 80)).toBe('web to 172.18.0.2')
    expect(await connectTo(allowed.space, clusterIP!, 80, { timeoutMs: 250 })).toBe('timeout')
    await deletePolicy('deny')
    expect(await reaches(allowed, web)).toBe(true)
  })

  it('allows peers by pod, by namespace, by both and by address', async () => {
    const { web, allowed, denied, outsider, createPolicy, deletePolicy } = await createFixture()
    const testClients = async (): Promise<boolean[]> => [
      await reaches(allowed, web),
      await reaches(denied, web),
      await reaches(outsider, web),
    ]
    const otherNamespace = { namespaceSelector: { matchLabels: { team: 'other' } } }
    const cases: [NonNullable<NetworkPolicySpec['ingress']>[0]['from'], boolean[]][] = [
      [[ALLOWED], [true, false, false]],
      [[otherNamespace], [false, false, true]],
      [[{ ...otherNamespace, podSelector: { matchLabels: { app: 'missing' } } }], [false, false, false]],
      [
        [{ ...otherNamespace, ...ALLOWED }, { podSelector: { matchLabels: { app: 'denied' } } }],
        [false, true, true],
      ],
      [[{ namespaceSelector: {} }], [true, true, true]],
      [[{ ipBlock: { cidr: '10.244.0.0/16', except: ['10.244.1.0/24'] } }], [false, true, true]],
      [[{ ipBlock: { cidr: '0.0.0.0/0', except: [`${denied.ip}/32`] } }], [true, false, true]],
      [[{ ipBlock: { cidr: '10.244.0.0/016', except: ['10.244.1.0/024'] } }], [false, true, true]],
      [[], [true, true, true]],
    ]
    for (const [from, expected] of cases) {
      await createPolicy('allow', { ...SELECT_WEB, ingress: [{ ...(from === undefined ? {} : { from }) }] })
      expect({ from, passes: await testClients() }).toEqual({ from, passes: expected })
      await deletePolicy('allow')
    }
  }, 30_000)

  it('allows ports by number, range and name', async () => {
    const { web, allowed, denied, createPolicy, deletePolicy } = await createFixture()
    const cases: [object[], boolean, boolean][] = [
      [[{ port: 8080 }], true, false],
      [[{ port: 'admin' }], false, true],
      [[{ port: 8081, endPort: 9090 }], false, true],
      [[{ protocol: 'UDP', port: 8080 }], false, false],
      [[{ port: 8080 }, { port: 9090 }], true, true],
      [[{ protocol: 'TCP' }], true, true],
    ]
    for (const [ports, http, admin] of cases) {
      await createPolicy('ports', { ...SELECT_WEB, ingress: [{ from: [ALLOWED], ports }] })
      const passes = [await reaches(allowed, web, 8080), await reaches(allowed, web, 9090)]
      expect({ ports, passes }).toEqual({ ports, passes: [http, admin] })
      expect(await reaches(denied, web, 8080)).toBe(false)
      await deletePolicy('ports')
    }
  }, 30_000)

  it('restricts egress, including traffic to Services and DNS', async () => {
    const { web, allowed, denied, outsider, createPolicy, deletePolicy, createService, settle, network } =
      await createFixture()
    const deniedOnly = { podSelector: { matchLabels: { app: 'denied' } } }
    const ports = [{ port: 80, targetPort: 'http' }]
    const webService = createService('web', { selector: { app: 'web' }, ports })
    await settle()
    await createPolicy('out', { ...deniedOnly, policyTypes: ['Egress'], egress: [{ to: [SELECT_WEB] }] })
    expect(await reaches(denied, web)).toBe(true)
    expect(await reaches(denied, outsider)).toBe(false)
    expect(await reaches(denied, allowed)).toBe(false)
    expect(await reaches(allowed, denied)).toBe(true)
    expect(await connectTo(denied.space, webService.spec.clusterIP!, 80)).toBe(`web to ${denied.ip}`)
    // A Service without endpoints still refuses connections.
    expect(await connectTo(denied.space, '10.96.9.9', 80)).toBe('ECONNREFUSED')
    serve({ space: network.namespace }, 6443, 'api')
    expect(await connectTo(denied.space, '172.18.0.1', 6443)).toBe('timeout')
    await deletePolicy('out')

    await createPolicy('out', {
      ...deniedOnly,
      policyTypes: ['Egress'],
      egress: [{ ports: [{ port: 'admin' }] }],
    })
    expect(await reaches(denied, web, 9090)).toBe(true)
    expect(await reaches(denied, web, 8080)).toBe(false)
    expect(await reaches(denied, allowed, 9090)).toBe(false)
    expect(await connectTo(denied.space, webService.spec.clusterIP!, 80)).toBe('timeout')
    await deletePolicy('out')

    const dns = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
      podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
    }
    expect(await connectTo(denied.space, '10.96.0.10', 53, { timeoutMs: 250 })).toBe('')
    await createPolicy('out', { ...deniedOnly, policyTypes: ['Egress'], egress: [] })
    expect(await connectTo(denied.space, '10.96.0.10', 53, { timeoutMs: 250 })).toBe('timeout')
    await createPolicy('names', {
      ...deniedOnly,
      policyTypes: ['Egress'],
      egress: [{ to: [dns], ports: [{ port: 53 }, { port: 53, protocol: 'UDP' }] }],
    })
    expect(await connectTo(denied.space, '10.96.0.10', 53, { timeoutMs: 250 })).toBe('')
    expect(await reaches(denied, web)).toBe(false)
  }, 30_000)

  it('follows label changes of pods and namespaces; several policies add up', async () => {
    const { web, allowed, denied, outsider, createPolicy, client, settle, runPod } = await createFixture()
    await createPolicy('one', {
      ...SELECT_WEB,
      ingress: [{ from: [{ podSelector: { matchLabels: { tier: 'a' } } }] }],
    })
    await createPolicy('two', {
      ...SELECT_WEB,
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { open: 'yes' } } }] }],
    })
    expect(await reaches(denied, web)).toBe(false)
    const setTier = async (name: string, tier: string): Promise<void> => {
      const pod = client.get(pods, 'default', name)!
      client.update(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, tier } } })
      await settle()
    }
    await setTier('denied', 'a')
    expect(await reaches(denied, web)).toBe(true)
    await setTier('denied', 'b')
    expect(await reaches(denied, web)).toBe(false)
    expect(await reaches(outsider, web)).toBe(false)
    const otherNamespace = client.get(namespaces, '', 'other')!
    client.update(namespaces, {
      ...otherNamespace,
      metadata: { ...otherNamespace.metadata, labels: { ...otherNamespace.metadata.labels, open: 'yes' } },
    })
    await settle()
    expect(await reaches(outsider, web)).toBe(true)
    // A new pod is isolated before it receives its first packet.
    const late = await runPod('late', { labels: { app: 'web' } })
    serve(late, 8080, 'late')
    expect(await reaches(allowed, late)).toBe(false)
    expect(await reaches(outsider, late)).toBe(true)
  }, 30_000)

  it('cuts only the connections that it forbids', async () => {
    const { web, allowed, denied, createPolicy, deletePolicy } = await createFixture()
    serveEcho(web, 7777)
    const [allowedEcho, deniedEcho] = [
      await openEcho(allowed, web.ip, 7777),
      await openEcho(denied, web.ip, 7777),
    ]
    expect([await allowedEcho('a'), await deniedEcho('a')]).toEqual(['a', 'a'])
    await createPolicy('allow-clients', { ...SELECT_WEB, ingress: [{ from: [ALLOWED] }] })
    expect([await allowedEcho('b'), await deniedEcho('b')]).toEqual(['b', 'timeout'])
    await deletePolicy('allow-clients')
    expect(await allowedEcho('c')).toBe('c')
  })
})

describe('a pod that is detached while its policies are applied', () => {
  it('is rejected, because its descriptor may be reused', async () => {
    const { network, web, client, createPolicy } = await createFixture()
    await createPolicy('deny', SELECT_WEB)
    const stored = client.get(pods, 'default', web.name)!
    const late = { ...stored, metadata: { ...stored.metadata, name: 'late', uid: 'late' } }
    const attached = attachPod(network, late, 'node1')
    network.detachPod('late', () => {})
    await expect(attached).rejects.toThrow('detached from the network')
  })
})

describe('an unreachable node', () => {
  it('reaches only its own pods until it is reachable again', async () => {
    const { web, allowed, denied, outsider, network } = await createFixture()
    serve({ space: network.namespace }, 6443, 'api')
    serveEcho(allowed, 7777)
    const echo = await openEcho(web, allowed.ip, 7777)
    expect(await echo('a')).toBe('a')
    await network.setNodeReachable('node1', false)
    expect(await echo('b')).toBe('timeout')
    expect(await reaches(web, denied)).toBe(true)
    expect(await reaches(web, allowed)).toBe(false)
    expect(await reaches(allowed, outsider)).toBe(false)
    expect(await connectTo(web.space, '172.18.0.1', 6443)).toBe('timeout')
    expect(await connectTo(web.space, '10.96.0.10', 53)).toBe('timeout')
    expect(await connectTo(web.space, '10.96.9.9', 80)).toBe('ECONNREFUSED')
    const [node, otherNode] = [
      await openNodeNamespace(network, 'node1'),
      await openNodeNamespace(network, 'node2'),
    ]
    serve({ space: node }, 10250, 'node')
    expect(await connectTo(node, web.ip, 8080)).toBe('web to 172.18.0.2')
    expect(await connectTo(web.space, '172.18.0.2', 10250)).toBe(`node to ${web.ip}`)
    for (const space of [otherNode, network.namespace]) {
      expect(await connectTo(space, web.ip, 8080, { timeoutMs: 250 })).toBe('timeout')
      expect(await connectTo(space, '172.18.0.2', 10250, { timeoutMs: 250 })).toBe('timeout')
    }
    expect(await connectTo(node, '172.18.0.1', 6443, { timeoutMs: 250 })).toBe('timeout')
    expect(await connectTo(allowed.space, '172.18.0.1', 6443)).toBe(`api to ${allowed.ip}`)
    await network.setNodeReachable('node1', true)
    expect(await reaches(web, allowed)).toBe(true)
    expect(await connectTo(web.space, '172.18.0.1', 6443)).toBe(`api to ${web.ip}`)
  })
})
