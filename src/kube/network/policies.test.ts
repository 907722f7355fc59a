/** Needs root: NetworkPolicies in force in the network of the kernel. */
import type { NetworkPolicySpec } from 'kubernetes-types/networking/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { namespaces, networkPolicies, pods } from '../kinds/index.ts'
import {
  ask,
  attach,
  createTestNetwork,
  openEcho,
  pings,
  serve,
  serveEcho,
  spaceOfNode,
  type TestNetwork,
  type TestPod,
} from './testing/create-test-network.ts'

const PORTS = [
  { name: 'http', containerPort: 8080 },
  { name: 'admin', containerPort: 9090 },
]

interface Stage extends TestNetwork {
  web: TestPod
  friend: TestPod
  stranger: TestPod
  foreigner: TestPod
  policy(name: string, spec: NetworkPolicySpec): Promise<void>
  remove(name: string): Promise<void>
}

/** A pod that serves two ports, a friend on another node, a stranger beside it, and one of another namespace. */
const createStage = async (): Promise<Stage> => {
  const test = await createTestNetwork()
  test.client.create(namespaces, { metadata: { name: 'abroad', labels: { land: 'abroad' } } })
  const [web, friend, stranger, foreigner] = await Promise.all([
    test.run('web', { spec: { containers: [{ name: 'c', image: 'c:1', ports: PORTS }] } }),
    test.run('friend', { node: 'node2' }),
    test.run('stranger'),
    test.run('foreigner', { namespace: 'abroad', labels: { app: 'friend' } }),
  ])
  for (const pod of [web, friend, stranger, foreigner]) {
    serve(pod, 8080, pod.name)
    serve(pod, 9090, pod.name)
  }
  return {
    ...test,
    web,
    friend,
    stranger,
    foreigner,
    async policy(name, spec) {
      test.client.create(networkPolicies, { metadata: { name, namespace: 'default' }, spec })
      await test.settle()
    },
    async remove(name) {
      test.client.delete(networkPolicies, 'default', name)
      await test.settle()
    },
  }
}

/** Whether each connection gets through. */
const reaches = async (from: TestPod, to: TestPod, port = 8080): Promise<boolean> => {
  const answer = await ask(from.space, to.ip, port, { patience: 250 })
  expect(['timeout', `${to.name} to ${from.ip}`]).toContain(answer)
  return answer !== 'timeout'
}

const SELECT_WEB = { podSelector: { matchLabels: { app: 'web' } } }
const FRIEND = { podSelector: { matchLabels: { app: 'friend' } } }

describe('a NetworkPolicy', () => {
  it('shuts its pods off, lets their replies pass, and is over when it is deleted', async () => {
    const { web, friend, stranger, network, service, policy, remove } = await createStage()
    const ports = [{ port: 80, targetPort: 8080 }]
    const { clusterIP } = service('web', { selector: { app: 'web' }, ports }).spec
    expect(await reaches(friend, web)).toBe(true)
    await policy('deny', SELECT_WEB)
    expect(await reaches(friend, web)).toBe(false)
    expect(await reaches(stranger, web)).toBe(false)
    expect(await pings(stranger.space, web.ip)).toBe(false)
    // Only what comes in is forbidden.
    expect(await reaches(web, friend)).toBe(true)
    expect(await reaches(friend, stranger)).toBe(true)
    // The node's probes pass, those of other nodes do not; a pod reaches itself.
    const probe = async (node: string): Promise<string> =>
      ask(await spaceOfNode(network, node), web.ip, 8080, { patience: 250 })
    expect(await probe('node1')).toBe('web to 172.18.0.2')
    expect(await probe('node2')).toBe('timeout')
    expect(await ask(web.space, clusterIP!, 80)).toBe('web to 172.18.0.2')
    expect(await ask(friend.space, clusterIP!, 80, { patience: 250 })).toBe('timeout')
    await remove('deny')
    expect(await reaches(friend, web)).toBe(true)
  })

  it('lets in by pod, by namespace, by both and by address', async () => {
    const { web, friend, stranger, foreigner, policy, remove } = await createStage()
    const matrix = async (): Promise<boolean[]> => [
      await reaches(friend, web),
      await reaches(stranger, web),
      await reaches(foreigner, web),
    ]
    const abroad = { namespaceSelector: { matchLabels: { land: 'abroad' } } }
    const cases: [NonNullable<NetworkPolicySpec['ingress']>[0]['from'], boolean[]][] = [
      [[FRIEND], [true, false, false]],
      [[abroad], [false, false, true]],
      [[{ ...abroad, podSelector: { matchLabels: { app: 'nobody' } } }], [false, false, false]],
      [
        [{ ...abroad, ...FRIEND }, { podSelector: { matchLabels: { app: 'stranger' } } }],
        [false, true, true],
      ],
      [[{ namespaceSelector: {} }], [true, true, true]],
      [[{ ipBlock: { cidr: '10.244.0.0/16', except: ['10.244.1.0/24'] } }], [false, true, true]],
      [[{ ipBlock: { cidr: '0.0.0.0/0', except: [`${stranger.ip}/32`] } }], [true, false, true]],
      [[{ ipBlock: { cidr: '10.244.0.0/016', except: ['10.244.1.0/024'] } }], [false, true, true]],
      [[], [true, true, true]],
    ]
    for (const [from, expected] of cases) {
      await policy('allow', { ...SELECT_WEB, ingress: [{ ...(from === undefined ? {} : { from }) }] })
      expect({ from, passes: await matrix() }).toEqual({ from, passes: expected })
      await remove('allow')
    }
  }, 30_000)

  it('looks at ports: numbers, ranges and names', async () => {
    const { web, friend, stranger, policy, remove } = await createStage()
    const cases: [object[], boolean, boolean][] = [
      [[{ port: 8080 }], true, false],
      [[{ port: 'admin' }], false, true],
      [[{ port: 8081, endPort: 9090 }], false, true],
      [[{ protocol: 'UDP', port: 8080 }], false, false],
      [[{ port: 8080 }, { port: 9090 }], true, true],
      [[{ protocol: 'TCP' }], true, true],
    ]
    for (const [ports, http, admin] of cases) {
      await policy('ports', { ...SELECT_WEB, ingress: [{ from: [FRIEND], ports }] })
      const passes = [await reaches(friend, web, 8080), await reaches(friend, web, 9090)]
      expect({ ports, passes }).toEqual({ ports, passes: [http, admin] })
      expect(await reaches(stranger, web, 8080)).toBe(false)
      await remove('ports')
    }
  }, 30_000)

  it('holds back what goes out, through Services and by name too', async () => {
    const { web, friend, stranger, foreigner, policy, remove, service, settle, network } = await createStage()
    const strangerOnly = { podSelector: { matchLabels: { app: 'stranger' } } }
    const named = service('web', { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] })
    await settle()
    await policy('out', { ...strangerOnly, policyTypes: ['Egress'], egress: [{ to: [SELECT_WEB] }] })
    expect(await reaches(stranger, web)).toBe(true)
    expect(await reaches(stranger, foreigner)).toBe(false)
    expect(await reaches(stranger, friend)).toBe(false)
    expect(await reaches(friend, stranger)).toBe(true)
    expect(await ask(stranger.space, named.spec.clusterIP!, 80)).toBe(`web to ${stranger.ip}`)
    // A Service that nobody stands behind still refuses.
    expect(await ask(stranger.space, '10.96.9.9', 80)).toBe('ECONNREFUSED')
    serve({ space: network.namespace }, 6443, 'api')
    expect(await ask(stranger.space, '172.18.0.1', 6443)).toBe('timeout')
    await remove('out')

    await policy('out', {
      ...strangerOnly,
      policyTypes: ['Egress'],
      egress: [{ ports: [{ port: 'admin' }] }],
    })
    expect(await reaches(stranger, web, 9090)).toBe(true)
    expect(await reaches(stranger, web, 8080)).toBe(false)
    expect(await reaches(stranger, friend, 9090)).toBe(false)
    expect(await ask(stranger.space, named.spec.clusterIP!, 80)).toBe('timeout')
    await remove('out')

    const dns = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
      podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
    }
    expect(await ask(stranger.space, '10.96.0.10', 53, { patience: 250 })).toBe('')
    await policy('out', { ...strangerOnly, policyTypes: ['Egress'], egress: [] })
    expect(await ask(stranger.space, '10.96.0.10', 53, { patience: 250 })).toBe('timeout')
    await policy('names', {
      ...strangerOnly,
      policyTypes: ['Egress'],
      egress: [{ to: [dns], ports: [{ port: 53 }, { port: 53, protocol: 'UDP' }] }],
    })
    expect(await ask(stranger.space, '10.96.0.10', 53, { patience: 250 })).toBe('')
    expect(await reaches(stranger, web)).toBe(false)
  }, 30_000)

  it('follows labels of pods and namespaces, and adds up with others', async () => {
    const { web, friend, stranger, foreigner, policy, client, settle, run } = await createStage()
    await policy('one', {
      ...SELECT_WEB,
      ingress: [{ from: [{ podSelector: { matchLabels: { tier: 'a' } } }] }],
    })
    await policy('two', {
      ...SELECT_WEB,
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { open: 'yes' } } }] }],
    })
    expect(await reaches(stranger, web)).toBe(false)
    const label = async (name: string, tier: string): Promise<void> => {
      const pod = client.get(pods, 'default', name)!
      client.update(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, tier } } })
      await settle()
    }
    await label('stranger', 'a')
    expect(await reaches(stranger, web)).toBe(true)
    await label('stranger', 'b')
    expect(await reaches(stranger, web)).toBe(false)
    expect(await reaches(foreigner, web)).toBe(false)
    const abroad = client.get(namespaces, '', 'abroad')!
    client.update(namespaces, {
      ...abroad,
      metadata: { ...abroad.metadata, labels: { ...abroad.metadata.labels, open: 'yes' } },
    })
    await settle()
    expect(await reaches(foreigner, web)).toBe(true)
    // A new pod is under the policies from its first packet.
    const late = await run('late', { labels: { app: 'web' } })
    serve(late, 8080, 'late')
    expect(await reaches(friend, late)).toBe(false)
    expect(await reaches(foreigner, late)).toBe(true)
  }, 30_000)

  it('cuts connections that it forbids, and only those', async () => {
    const { web, friend, stranger, policy, remove } = await createStage()
    serveEcho(web, 7777)
    const [ours, theirs] = [await openEcho(friend, web.ip, 7777), await openEcho(stranger, web.ip, 7777)]
    expect([await ours('a'), await theirs('a')]).toEqual(['a', 'a'])
    await policy('friends', { ...SELECT_WEB, ingress: [{ from: [FRIEND] }] })
    expect([await ours('b'), await theirs('b')]).toEqual(['b', 'timeout'])
    await remove('friends')
    expect(await ours('c')).toBe('c')
  })
})

describe('a pod that is taken out again', () => {
  it('while its policies are put in force gets no namespace, which might be another one', async () => {
    const { network, web, client, policy } = await createStage()
    await policy('deny', SELECT_WEB)
    const stored = client.get(pods, 'default', web.name)!
    const late = { ...stored, metadata: { ...stored.metadata, name: 'late', uid: 'late' } }
    const attached = attach(network, late, 'node1')
    network.detachPod('late', () => {})
    await expect(attached).rejects.toThrow('taken out of the network')
  })
})

describe('a node', () => {
  it('that is cut off meets only itself until it is back', async () => {
    const { web, friend, stranger, foreigner, network } = await createStage()
    serve({ space: network.namespace }, 6443, 'api')
    serveEcho(friend, 7777)
    const echo = await openEcho(web, friend.ip, 7777)
    expect(await echo('a')).toBe('a')
    await network.setNodeReachable('node1', false)
    expect(await echo('b')).toBe('timeout')
    expect(await reaches(web, stranger)).toBe(true)
    expect(await reaches(web, friend)).toBe(false)
    expect(await reaches(friend, foreigner)).toBe(false)
    expect(await ask(web.space, '172.18.0.1', 6443)).toBe('timeout')
    expect(await ask(web.space, '10.96.0.10', 53)).toBe('timeout')
    expect(await ask(web.space, '10.96.9.9', 80)).toBe('ECONNREFUSED')
    const [node, other] = [await spaceOfNode(network, 'node1'), await spaceOfNode(network, 'node2')]
    serve({ space: node }, 10250, 'node')
    expect(await ask(node, web.ip, 8080)).toBe('web to 172.18.0.2')
    expect(await ask(web.space, '172.18.0.2', 10250)).toBe(`node to ${web.ip}`)
    for (const space of [other, network.namespace]) {
      expect(await ask(space, web.ip, 8080, { patience: 250 })).toBe('timeout')
      expect(await ask(space, '172.18.0.2', 10250, { patience: 250 })).toBe('timeout')
    }
    expect(await ask(node, '172.18.0.1', 6443, { patience: 250 })).toBe('timeout')
    expect(await ask(friend.space, '172.18.0.1', 6443)).toBe(`api to ${friend.ip}`)
    await network.setNodeReachable('node1', true)
    expect(await reaches(web, friend)).toBe(true)
    expect(await ask(web.space, '172.18.0.1', 6443)).toBe(`api to ${web.ip}`)
  })
})
