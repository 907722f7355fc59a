/** Tests that NetworkPolicies and unreachable nodes drop packets, including those of open connections. */
import type { NetworkPolicySpec } from 'kubernetes-types/networking/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { namespaces, networkPolicies, pods } from '#platform/kube/kinds'
import { ask, createTestNetwork, serveEcho, type TestPod } from './testing/create-test-network.ts'

const createFixture = () => {
  const test = createTestNetwork()
  const [web, friend, stranger, foreigner] = [
    test.addPod('web'),
    test.addPod('friend', { node: 'node2' }),
    test.addPod('stranger'),
    test.addPod('foreigner', { namespace: 'other', labels: { app: 'friend' } }),
  ]
  for (const pod of [web, friend, stranger, foreigner]) serveEcho(pod)
  const address = test.addService('web', {}, [web])
  const reaches = async (from: TestPod, host: string, port = 8080): Promise<boolean> => {
    const { result } = await test.time(() => from.network.connect(host, port))
    if (typeof result === 'string') expect(result).toBe('ETIMEDOUT')
    return typeof result !== 'string'
  }
  return {
    ...test,
    web,
    friend,
    stranger,
    foreigner,
    address,
    reaches,
    createPolicy: (name: string, spec: NetworkPolicySpec) =>
      test.client.create(networkPolicies, { metadata: { name, namespace: 'shop' }, spec } as never),
  }
}

const SELECT_WEB = { podSelector: { matchLabels: { app: 'web' } } }
const FRIENDS = { podSelector: { matchLabels: { app: 'friend' } } }

describe('a NetworkPolicy', () => {
  it('drops packets from others, until it is deleted', async () => {
    const { web, friend, stranger, foreigner, address, client, network, reaches, createPolicy, time } =
      createFixture()
    createPolicy('friends', { ...SELECT_WEB, ingress: [{ from: [FRIENDS] }] })
    expect(await reaches(friend, web.ip)).toBe(true)
    expect(await reaches(friend, address, 80)).toBe(true)
    expect(await reaches(stranger, web.ip)).toBe(false)
    expect(await reaches(stranger, address, 80)).toBe(false)
    expect(await reaches(foreigner, web.ip)).toBe(false)
    // Its own node and the pod itself are allowed; other nodes and the outside are not.
    const fromNode = (node: string) => time(() => network.connectFromNode(node, web.ip, 8080))
    expect((await fromNode('node1')).result).toMatchObject({ address: web.ip })
    expect((await fromNode('node2')).result).toBe('ETIMEDOUT')
    expect(await reaches(web, address, 80)).toBe(true)
    const entry = { namespace: 'shop', service: 'web', port: 80 }
    expect((await time(() => network.connectFromOutside(entry))).result).toBe('ETIMEDOUT')
    // Only ingress is restricted.
    expect(await reaches(web, stranger.ip)).toBe(true)
    client.delete(networkPolicies, 'shop', 'friends')
    expect(await reaches(stranger, web.ip)).toBe(true)
  })

  it('restricts egress, including DNS queries', async () => {
    const { web, stranger, friend, address, reaches, createPolicy, client, time } = createFixture()
    const spec = { podSelector: { matchLabels: { app: 'stranger' } }, policyTypes: ['Egress'] }
    createPolicy('out', { ...spec, egress: [{ to: [SELECT_WEB] }] })
    expect(await reaches(stranger, address, 80)).toBe(true)
    expect(await reaches(stranger, friend.ip)).toBe(false)
    expect(await reaches(friend, stranger.ip)).toBe(true)
    // A Service without endpoints still refuses.
    expect((await time(() => stranger.network.connect('10.96.99.99', 80))).result).toBe('ECONNREFUSED')
    expect(await time(() => stranger.network.lookup('web.shop.svc.cluster.local.'))).toMatchObject({
      result: 'EAI_AGAIN',
      ms: 10_000,
    })
    const dns = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
      podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
    }
    createPolicy('names', { ...spec, egress: [{ to: [dns], ports: [{ port: 53, protocol: 'UDP' }] }] })
    expect((await time(() => stranger.network.lookup('web'))).result).toEqual([address])
    client.delete(networkPolicies, 'shop', 'out')
    expect(await reaches(stranger, web.ip)).toBe(false)
  })

  it('follows the labels of pods and namespaces', async () => {
    const { web, stranger, foreigner, client, reaches, createPolicy } = createFixture()
    const from = [
      { podSelector: { matchLabels: { tier: 'a' } } },
      { namespaceSelector: { matchLabels: { open: 'yes' } } },
    ]
    createPolicy('labels', { ...SELECT_WEB, ingress: [{ from }] })
    expect([await reaches(stranger, web.ip), await reaches(foreigner, web.ip)]).toEqual([false, false])
    const pod = client.get(pods, 'shop', 'stranger')!
    client.update(pods, { ...pod, metadata: { ...pod.metadata, labels: { app: 'stranger', tier: 'a' } } })
    const other = client.get(namespaces, '', 'other')!
    client.update(namespaces, { ...other, metadata: { ...other.metadata, labels: { open: 'yes' } } })
    expect([await reaches(stranger, web.ip), await reaches(foreigner, web.ip)]).toEqual([true, true])
  })

  it('isolates a pod that is attached later', async () => {
    const { stranger, friend, addPod, reaches, createPolicy } = createFixture()
    createPolicy('friends', { ...SELECT_WEB, ingress: [{ from: [FRIENDS] }] })
    const late = addPod('late', { labels: { app: 'web' } })
    serveEcho(late)
    expect([await reaches(friend, late.ip), await reaches(stranger, late.ip)]).toEqual([true, false])
  })

  it('interrupts open connections, which continue afterwards', async () => {
    const { web, friend, stranger, client, clock, run, time, createPolicy } = createFixture()
    const [allowed, denied] = [
      await run(() => friend.network.connect(web.ip, 8080)),
      await run(() => stranger.network.connect(web.ip, 8080)),
    ]
    createPolicy('friends', { ...SELECT_WEB, ingress: [{ from: [FRIENDS] }] })
    expect((await time(() => ask(allowed, 'through'))).ms).toBeLessThan(1)
    clock.after(1000, () => client.delete(networkPolicies, 'shop', 'friends'))
    const { result, ms } = await time(() => ask(denied, 'late'))
    expect(result).toBe('late')
    // The next repetition of the request: 208, 416, 832, 1664 ms.
    expect(ms).toBeGreaterThan(1600)
    expect(ms).toBeLessThan(1700)
  })

  it('opens a waiting connection after its deletion', async () => {
    const { web, stranger, client, clock, time, createPolicy } = createFixture()
    createPolicy('deny', SELECT_WEB)
    clock.after(2500, () => client.delete(networkPolicies, 'shop', 'deny'))
    const { result, ms } = await time(() => stranger.network.connect(web.ip, 8080))
    expect(result).toMatchObject({ address: web.ip })
    expect(ms).toBeCloseTo(3000, 0)
  })
})

describe('an unreachable node', () => {
  it('reaches only itself, until it is reachable again', async () => {
    const { web, friend, stranger, network, clock, run, reaches, time } = createFixture()
    const connection = await run(() => friend.network.connect(web.ip, 8080))
    network.setNodeReachable('node1', false)
    expect(await reaches(web, stranger.ip)).toBe(true)
    expect(await reaches(web, friend.ip)).toBe(false)
    expect(await reaches(friend, web.ip)).toBe(false)
    expect((await time(() => web.network.connect('10.96.99.99', 80))).result).toBe('ECONNREFUSED')
    expect((await time(() => web.network.lookup('web.shop.svc.cluster.local.'))).result).toBe('EAI_AGAIN')
    expect((await time(() => network.connectFromNode('node1', web.ip, 8080))).result).toMatchObject({
      address: web.ip,
    })
    clock.after(500, () => network.setNodeReachable('node1', true))
    expect((await time(() => ask(connection, 'back'))).result).toBe('back')
    expect(await reaches(friend, web.ip)).toBe(true)
  })

  it('ends connections after the last repetition of a request', async () => {
    const { web, friend, network, run, time } = createFixture()
    const connection = await run(() => friend.network.connect(web.ip, 8080))
    network.setNodeReachable('node1', false)
    const { result, ms } = await time(() => ask(connection))
    expect(result).toBe('ETIMEDOUT')
    expect(ms / 60_000).toBeGreaterThan(13)
    expect(ms / 60_000).toBeLessThan(16)
    expect(connection.isClosed).toBe(true)
  })
})
