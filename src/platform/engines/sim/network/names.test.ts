/** Tests that names are resolved as the C library of a real pod does. The expected times were measured there. */
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { createTestNetwork, serveEcho } from './testing/create-test-network.ts'

const createFixture = (spec: Partial<PodSpec> = {}) => {
  const test = createTestNetwork()
  const server = test.addPod('server')
  const pod = test.addPod('client', { spec })
  serveEcho(server)
  const address = test.addService('web', {}, [server])
  const lookup = (name: string) => test.time(() => pod.network.lookup(name))
  const resultOf = async (name: string): Promise<unknown> => (await lookup(name)).result
  return { ...test, server, pod, address, lookup, resultOf }
}

describe('the resolver of a pod', () => {
  it('finds Services by short and full names', async () => {
    const { address, resultOf, lookup } = createFixture()
    for (const name of [
      'web',
      'WEB',
      'web.shop',
      'web.shop.svc',
      'web.shop.svc.cluster.local',
      'web.shop.svc.cluster.local.',
    ])
      expect({ name, result: await resultOf(name) }).toEqual({ name, result: [address] })
    expect((await lookup('web')).ms).toBeLessThan(0.5)
    // Queries three search domains first.
    expect((await lookup('web.shop.svc.cluster.local')).ms).toBeGreaterThan(1.2)
    expect((await lookup('web.shop.svc.cluster.local.')).ms).toBeLessThan(0.5)
  })

  it('reports missing names, except outside the cluster, where the lookup fails temporarily', async () => {
    const { resultOf } = createFixture()
    expect(await resultOf('missing')).toBe('EAI_AGAIN')
    expect(await resultOf('missing.shop')).toBe('EAI_AGAIN')
    expect(await resultOf('missing.shop.svc.cluster.local')).toBe('ENOTFOUND')
    expect(await resultOf('example.org')).toBe('EAI_AGAIN')
  })

  it('returns the addresses of all pods of a headless Service', async () => {
    const test = createFixture()
    const pods = ['a', 'b', 'c'].map((name) => test.addPod(name))
    test.addService('db', { clusterIP: 'None' }, pods)
    expect([...((await test.resultOf('db')) as string[])].sort()).toEqual(pods.map(({ ip }) => ip).sort())
    serveEcho(pods[0]!, 5432)
    test.setEndpoints('db', [pods[0]!])
    const { address } = await test.run(() => test.pod.network.connect('db', 5432))
    expect(address).toBe(pods[0]!.ip)
  })

  it('follows an ExternalName inside the cluster', async () => {
    const test = createFixture()
    test.addService('alias', {
      type: 'ExternalName',
      externalName: 'web.shop.svc.cluster.local',
      ports: [],
    } as never)
    expect(await test.resultOf('alias')).toEqual([test.address])
  })

  it('resolves addresses, its own name, localhost and host aliases without a query', async () => {
    const { pod, lookup } = createFixture({
      hostAliases: [{ ip: '127.0.0.1', hostnames: ['web', 'web.shop.svc.cluster.local'] }],
    })
    for (const [name, address] of [
      ['10.1.2.3', '10.1.2.3'],
      ['localhost', '127.0.0.1'],
      ['client', pod.ip],
      ['web', '127.0.0.1'],
      ['web.shop.svc.cluster.local', '127.0.0.1'],
    ] as const)
      expect(await lookup(name)).toEqual({ result: [address], ms: 0 })
  })

  it('rejects connections to names that it cannot resolve', async () => {
    const { pod, time } = createFixture()
    expect((await time(() => pod.network.connect('missing.shop.svc.cluster.local', 80))).result).toBe(
      'ENOTFOUND',
    )
    expect((await time(() => pod.network.connect('web', 80))).result).toMatchObject({ isClosed: false })
  })

  it('runs two lookups at a time', async () => {
    const { pod, network, time } = createFixture()
    network.cut(pod.uid, 'incoming')
    const name = 'web.shop.svc.cluster.local.'
    const { result, ms } = await time(() =>
      Promise.all(Array.from({ length: 3 }, () => pod.network.lookup(name).catch(() => 'failed'))),
    )
    expect(result).toEqual(['failed', 'failed', 'failed'])
    expect(ms).toBeCloseTo(20_000, 0)
  })

  it('can be aborted', async () => {
    const { pod, network, clock, time } = createFixture()
    network.cut(pod.uid, 'incoming')
    const controller = new AbortController()
    clock.after(300, () => controller.abort(new Error('enough')))
    const { result, ms } = await time(() => pod.network.connect('web', 80, controller.signal))
    expect(result).toEqual(new Error('enough'))
    expect(ms).toBeCloseTo(300, 3)
  })
})

describe('a nameserver', () => {
  const dnsOnly = (nameservers: string[], options: PodSpec['dnsConfig'] = {}): Partial<PodSpec> => ({
    dnsPolicy: 'None',
    dnsConfig: { nameservers, ...options },
  })

  it('that does not exist in the cluster rejects queries', async () => {
    for (const nameserver of ['10.96.255.53', '172.18.0.1', '127.0.0.1']) {
      const { result, ms } = await createFixture(dnsOnly([nameserver])).lookup('web')
      expect(result).toBe('EAI_AGAIN')
      expect(ms).toBeLessThan(1)
    }
    const { result, ms } = await createFixture({ dnsPolicy: 'Default' }).lookup('web')
    expect([result, ms < 1]).toEqual(['EAI_AGAIN', true])
  })

  it('outside the cluster does not answer once the router stops reporting it', async () => {
    const { lookup } = createFixture(dnsOnly(['192.0.2.1']))
    expect((await lookup('web')).ms).toBeLessThan(1)
    expect((await lookup('web')).ms).toBeLessThan(1)
    // The fifth report, then a timeout.
    const { result, ms } = await lookup('web')
    expect(result).toBe('EAI_AGAIN')
    expect(ms).toBeCloseTo(5000, 0)
  })

  it('is followed by the next one', async () => {
    const spec = dnsOnly(['10.96.255.53', '10.96.0.10'], { searches: ['shop.svc.cluster.local'] })
    const { address, lookup } = createFixture(spec)
    const { result, ms } = await lookup('web')
    expect(result).toEqual([address])
    expect(ms).toBeLessThan(1)
  })
})

describe('a pod without DNS', () => {
  const NAME = 'web.shop.svc.cluster.local.'

  it('waits for the timeout of each attempt if answers are lost', async () => {
    const { pod, network, lookup } = createFixture()
    const revert = network.cut(pod.uid, 'incoming', ['10.96.0.10/32'])
    expect(await lookup(NAME)).toMatchObject({ result: 'EAI_AGAIN', ms: 10_000 })
    // The first search domain, then the name itself.
    expect(await lookup('web')).toMatchObject({ result: 'EAI_AGAIN', ms: 20_000 })
    revert()
    expect((await lookup('web')).ms).toBeLessThan(1)
  })

  it('uses the timeout and the attempts of its dnsConfig', async () => {
    const options = [
      { name: 'timeout', value: '1' },
      { name: 'attempts', value: '3' },
    ]
    const { pod, network, lookup } = createFixture({ dnsConfig: { options } })
    network.cut(pod.uid, 'incoming')
    expect((await lookup(NAME)).ms).toBeCloseTo(3000, 0)
  })

  it('queries each nameserver with a separate timeout', async () => {
    const options = [{ name: 'timeout', value: '2' }]
    const nameservers = ['10.96.0.10', '192.0.2.1']
    const { pod, network, lookup } = createFixture({ dnsPolicy: 'None', dnsConfig: { nameservers, options } })
    network.cut(pod.uid, 'incoming')
    expect((await lookup(NAME)).ms).toBeCloseTo(8000, 0)
  })

  it('fails immediately if its own queries are dropped', async () => {
    const { pod, network, lookup } = createFixture()
    network.cut(pod.uid, 'outgoing')
    const { result, ms } = await lookup('web')
    expect(result).toBe('EAI_AGAIN')
    expect(ms).toBeLessThan(1)
  })

  it('gets answers late if its packets are delayed', async () => {
    const { pod, network, address, lookup } = createFixture()
    const delay = { latencyMs: 3000, jitterMs: 0, correlation: 0 }
    const revert = network.applyEffects(pod.uid, { delay })
    const late = await lookup('web')
    expect(late.result).toEqual([address])
    expect(late.ms).toBeCloseTo(3000.4, 1)
    revert()
    // Later than the timeout, but while the second question waits.
    network.applyEffects(pod.uid, { delay: { ...delay, latencyMs: 7000 } })
    const later = await lookup('web')
    expect(later.result).toEqual([address])
    expect(later.ms).toBeCloseTo(7000.4, 1)
  })

  it('repeats a query after five seconds if it is lost', async () => {
    const { pod, network, lookup } = createFixture()
    network.applyEffects(pod.uid, { loss: { percent: 50, correlation: 0 } })
    const times: number[] = []
    for (let index = 0; index < 200; index += 1) times.push((await lookup('web')).ms)
    const share = (limit: number): number => times.filter((ms) => ms < limit).length / times.length
    expect(share(1)).toBeCloseTo(0.5, 1)
    expect(share(5001)).toBeCloseTo(0.75, 1)
  })
})

describe('interference with DNS', () => {
  it('lets chosen names fail for one pod until it is reverted', async () => {
    const { pod, server, network, address, resultOf, run } = createFixture()
    const revert = network.interfereDns(pod.uid, { action: 'error', patterns: ['web.*'] })
    expect(await resultOf('web')).toBe('EAI_AGAIN')
    expect(await run(() => server.network.lookup('web'))).toEqual([address])
    revert()
    expect(await resultOf('web')).toEqual([address])
  })

  it('answers with addresses that do not exist', async () => {
    const { pod, network, address, resultOf, time } = createFixture()
    network.interfereDns(pod.uid, { action: 'random', patterns: [] })
    const [wrong] = (await resultOf('web')) as string[]
    expect(wrong).not.toBe(address)
    expect((await time(() => pod.network.connect('web', 80))).result).toBe('ENETUNREACH')
  })
})
