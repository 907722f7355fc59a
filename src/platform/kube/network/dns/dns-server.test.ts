/** Needs root: tests the DNS server with real packets in a network namespace. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'dns-packet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectInside, runChecked, runProgram } from '#machine/linux'
import { endpointSlices, services } from '#platform/kube/kinds'
import { createTestDns, PODS, type Reply, SERVER, type TestDns } from './testing/create-test-dns.ts'

let dns: TestDns
const CLUSTER = 'svc.cluster.local'
const dataOf = ({ answers }: Reply): unknown[] =>
  (answers ?? []).map((answer) => ('data' in answer ? answer.data : undefined))
const sortedDataOf = (reply: Reply): unknown[] => dataOf(reply).sort()

beforeAll(async () => {
  dns = await createTestDns()
  dns.createService('shop', 'web', {
    clusterIP: '10.96.7.7',
    ports: [
      { name: 'http', port: 80 },
      { name: 'metrics', port: 9090 },
    ],
  })
  dns.createSlice('shop', 'web', [{ addresses: ['10.244.1.1'], conditions: { ready: true } }])
  dns.createService('shop', 'db', { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] })
  dns.createSlice(
    'shop',
    'db',
    [
      { addresses: ['10.244.1.2'], hostname: 'db-0', conditions: { ready: true } },
      { addresses: ['10.244.2.3'], hostname: 'db-1' },
      { addresses: ['10.244.2.4'], hostname: 'db-2', conditions: { ready: false } },
      { addresses: ['10.244.2.9'], conditions: { ready: true } },
    ],
    [{ name: 'sql', port: 5432, protocol: 'TCP' }],
  )
  dns.createService('shop', 'idle', { clusterIP: 'None', ports: [{ port: 1 }] })
  dns.createService('shop', 'mail', { type: 'ExternalName', externalName: 'smtp.example.com' })
  dns.createService('shop', 'front', { type: 'ExternalName', externalName: `web.shop.${CLUSTER}` })
  dns.createService('shop', 'big', { clusterIP: 'None', ports: [{ name: 'http', port: 80 }] })
  dns.createSlice(
    'shop',
    'big',
    Array.from({ length: 60 }, (_, host) => ({ addresses: [`10.244.3.${host + 1}`] })),
  )
})
afterAll(() => dns.close())

describe('a Service', () => {
  it('resolves to its cluster IP', async () => {
    const reply = await dns.resolve(`web.shop.${CLUSTER}`)
    expect(reply).toMatchObject({ id: 7, rcode: 'NOERROR', flag_aa: true, flag_tc: false })
    expect(reply.answers).toEqual([
      expect.objectContaining({ type: 'A', name: `web.shop.${CLUSTER}`, ttl: 5, data: '10.96.7.7' }),
    ])
  })

  it('has an SRV record for each port, with the address as an additional record', async () => {
    const reply = await dns.resolve(`_http._tcp.web.shop.${CLUSTER}`, 'SRV')
    expect(dataOf(reply)).toEqual([{ priority: 0, weight: 100, port: 80, target: `web.shop.${CLUSTER}` }])
    expect(reply.additionals).toEqual([expect.objectContaining({ type: 'A', data: '10.96.7.7' })])
    expect(dataOf(await dns.resolve(`web.shop.${CLUSTER}`, 'SRV'))).toHaveLength(2)
    expect(await dns.resolve(`_http._udp.web.shop.${CLUSTER}`, 'SRV')).toMatchObject({ rcode: 'NXDOMAIN' })
  })

  it('without a cluster IP resolves to its ready endpoints', async () => {
    expect(sortedDataOf(await dns.resolve(`db.shop.${CLUSTER}`))).toEqual([
      '10.244.1.2',
      '10.244.2.3',
      '10.244.2.9',
    ])
    expect(dataOf(await dns.resolve(`db-1.db.shop.${CLUSTER}`))).toEqual(['10.244.2.3'])
    expect(dataOf(await dns.resolve(`10-244-2-9.db.shop.${CLUSTER}`))).toEqual(['10.244.2.9'])
    expect((await dns.resolve(`db-2.db.shop.${CLUSTER}`)).rcode).toBe('NXDOMAIN')
    expect((await dns.resolve(`idle.shop.${CLUSTER}`)).rcode).toBe('NXDOMAIN')
    const { answers } = await dns.resolve(`_sql._tcp.db.shop.${CLUSTER}`, 'SRV')
    expect(answers).toContainEqual(
      expect.objectContaining({
        data: { priority: 0, weight: 33, port: 5432, target: `db-0.db.shop.${CLUSTER}` },
      }),
    )
  })

  it('of type ExternalName is a CNAME, resolved within the cluster', async () => {
    expect(dataOf(await dns.resolve(`mail.shop.${CLUSTER}`))).toEqual(['smtp.example.com'])
    expect(dataOf(await dns.resolve(`front.shop.${CLUSTER}`))).toEqual([`web.shop.${CLUSTER}`, '10.96.7.7'])
    expect(dataOf(await dns.resolve(`front.shop.${CLUSTER}`, 'CNAME'))).toEqual([`web.shop.${CLUSTER}`])
  })

  it('has PTR records, as do endpoints with hostnames', async () => {
    expect(dataOf(await dns.resolve('7.7.96.10.in-addr.arpa', 'PTR'))).toEqual([`web.shop.${CLUSTER}`])
    expect(dataOf(await dns.resolve('2.1.244.10.in-addr.arpa', 'PTR'))).toEqual([`db-0.db.shop.${CLUSTER}`])
    expect((await dns.resolve('9.9.9.9.in-addr.arpa', 'PTR')).rcode).toBe('SERVFAIL')
  })

  it('is updated when its objects change', async () => {
    dns.createService('default', 'late', { clusterIP: 'None', ports: [{ port: 1 }] })
    expect((await dns.resolve(`late.default.${CLUSTER}`)).rcode).toBe('NXDOMAIN')
    dns.createSlice('default', 'late', [{ addresses: ['10.244.1.9'], hostname: 'a' }])
    expect(dataOf(await dns.resolve(`late.default.${CLUSTER}`))).toEqual(['10.244.1.9'])
    const slice = dns.client.get(endpointSlices, 'default', 'late-1')!
    dns.client.update(endpointSlices, { ...slice, endpoints: [{ addresses: ['10.244.1.8'] }] })
    expect(dataOf(await dns.resolve(`late.default.${CLUSTER}`))).toEqual(['10.244.1.8'])
    expect((await dns.resolve('9.1.244.10.in-addr.arpa', 'PTR')).rcode).toBe('SERVFAIL')
    dns.client.delete(endpointSlices, 'default', 'late-1')
    dns.client.delete(services, 'default', 'late')
    expect((await dns.resolve(`late.default.${CLUSTER}`)).rcode).toBe('NXDOMAIN')
  })
})

describe('names', () => {
  it('of pods are derived from their addresses', async () => {
    expect(dataOf(await dns.resolve('10-244-0-5.shop.pod.cluster.local'))).toEqual(['10.244.0.5'])
    expect((await dns.resolve('10-244-0-500.shop.pod.cluster.local')).rcode).toBe('NXDOMAIN')
    expect((await dns.resolve('10-244-0-5.nowhere.pod.cluster.local')).rcode).toBe('NXDOMAIN')
  })

  it('get NODATA if they exist without such a record, otherwise NXDOMAIN', async () => {
    for (const [name, type] of [
      [`web.shop.${CLUSTER}`, 'AAAA'],
      [`web.shop.${CLUSTER}`, 'UNKNOWN_65'],
      [`shop.${CLUSTER}`, 'A'],
      ['cluster.local', 'A'],
    ] as const) {
      const reply = await dns.resolve(name, type)
      expect(reply).toMatchObject({ rcode: 'NOERROR', answers: [] })
      expect(reply.authorities?.[0]).toMatchObject({ type: 'SOA', name: 'cluster.local', ttl: 5 })
    }
    for (const name of [`missing.shop.${CLUSTER}`, `a.b.c.web.shop.${CLUSTER}`, `web.nowhere.${CLUSTER}`]) {
      const reply = await dns.resolve(name)
      expect(reply).toMatchObject({ rcode: 'NXDOMAIN', flag_aa: true, answers: [] })
      expect(reply.authorities?.[0]).toMatchObject({
        type: 'SOA',
        data: { mname: 'ns.dns.cluster.local', rname: 'hostmaster.cluster.local', minimum: 5 },
      })
    }
  })

  it('include those of the server and its zone', async () => {
    expect(dataOf(await dns.resolve('dns-version.cluster.local', 'TXT'))).toEqual([[Buffer.from('1.1.0')]])
    expect(dataOf(await dns.resolve('cluster.local', 'NS'))).toEqual(['ns.dns.cluster.local'])
    expect(dataOf(await dns.resolve('ns.dns.cluster.local'))).toEqual([SERVER])
  })

  it('outside the cluster get SERVFAIL', async () => {
    expect(await dns.resolve('example.com')).toMatchObject({ rcode: 'SERVFAIL', flag_aa: false, answers: [] })
  })
})

describe('answers', () => {
  it('keep the letter case of the query', async () => {
    const name = `wEb.ShOp.${CLUSTER}`
    const reply = await dns.resolve(name)
    expect(reply.questions?.[0]?.name).toBe(name)
    expect(reply.answers).toEqual([expect.objectContaining({ name, data: '10.96.7.7' })])
  })

  it('are truncated over UDP without EDNS, but not over TCP or with EDNS', async () => {
    const name = `big.shop.${CLUSTER}`
    const short = await dns.resolve(name)
    expect(short.flag_tc).toBe(true)
    expect(dataOf(short).length).toBeGreaterThan(0)
    expect(dataOf(short).length).toBeLessThan(60)
    const whole = await dns.resolveByTcp(name)
    expect(whole.flag_tc).toBe(false)
    expect(new Set(dataOf(whole)).size).toBe(60)
    const opt = { type: 'OPT' as const, name: '.', udpPayloadSize: 4096, options: [] }
    const large = await dns.resolve(name, 'A', { additionals: [opt as never] })
    expect(large.flag_tc).toBe(false)
    expect(dataOf(large)).toHaveLength(60)
    expect(large.additionals).toEqual([expect.objectContaining({ type: 'OPT', udpPayloadSize: 4096 })])
  })

  it('are not buffered for a client that does not read', async () => {
    const question = encode({
      type: 'query',
      id: 7,
      questions: [{ name: `big.shop.${CLUSTER}`, type: 'A', class: 'IN' }],
    })
    const message = Buffer.concat([Buffer.from([0, question.length]), question])
    const socket = await connectInside(dns.namespace, SERVER, 53)
    socket.on('error', () => socket.destroy())
    socket.pause()
    const many = Buffer.concat(Array.from({ length: 500 }, () => message))
    await expect
      .poll(
        () => {
          socket.write(many)
          return socket.destroyed
        },
        { timeout: 10_000, interval: 20 },
      )
      .toBe(true)
    expect(dataOf(await dns.resolve(`web.shop.${CLUSTER}`))).toEqual(['10.96.7.7'])
  })
})

describe('packets', () => {
  it('that are not queries are ignored, and unsupported queries get an error', async () => {
    const answer = encode({ type: 'response', id: 1, questions: [{ name: 'a', type: 'A' }] })
    for (const bytes of [Buffer.from('nonsense'), Buffer.alloc(12, 0xff), Buffer.alloc(0), answer])
      expect(await dns.sendBytes(bytes, PODS[0], 100)).toBeUndefined()
    expect((await dns.resolve('a', 'A', { flags: 2 << 11 })).rcode).toBe('NOTIMP')
    expect((await dns.resolve('a', 'A', { questions: [] })).rcode).toBe('FORMERR')
    expect((await dns.resolve('a', 'A', { questions: [{ name: 'a', type: 'A', class: 'CH' }] })).rcode).toBe(
      'REFUSED',
    )
    expect(dataOf(await dns.resolve(`web.shop.${CLUSTER}`))).toEqual(['10.96.7.7'])
    expect(dns.errors).toEqual([])
  })
})

describe('faults', () => {
  it('return errors for matching names and pods until they are removed', async () => {
    const name = `web.shop.${CLUSTER}`
    const removeFault = dns.server.faults.interfere(PODS[0], {
      action: 'error',
      patterns: ['web.shop.*', 'exa?ple.com'],
    })
    const rcodeOf = async (host: string, from?: string) => (await dns.resolve(host, 'A', {}, from)).rcode
    expect(await rcodeOf(name)).toBe('SERVFAIL')
    expect(await rcodeOf(`WEB.shop.${CLUSTER}`)).toBe('SERVFAIL')
    expect(await rcodeOf(`db.shop.${CLUSTER}`)).toBe('NOERROR')
    expect(await rcodeOf(name, PODS[1])).toBe('NOERROR')
    removeFault()
    removeFault()
    expect(await rcodeOf(name)).toBe('NOERROR')
  })

  it('return random addresses until they are removed', async () => {
    const removeFault = dns.server.faults.interfere(PODS[0], { action: 'random', patterns: [] })
    const [external, internal] = [await dns.resolve('example.com'), await dns.resolve(`web.shop.${CLUSTER}`)]
    expect(external.rcode).toBe('NOERROR')
    expect(dataOf(external)[0]).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
    expect(dataOf(internal)[0]).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
    expect(dataOf(external)).not.toEqual(dataOf(internal))
    expect(dataOf(internal)).not.toEqual(['10.96.7.7'])
    expect(dataOf(await dns.resolve('example.com', 'AAAA'))[0]).toMatch(/^2001:db8:/)
    removeFault()
    expect(dataOf(await dns.resolve(`web.shop.${CLUSTER}`))).toEqual(['10.96.7.7'])
  })
})

describe('ordinary programs', () => {
  it('resolve short names through the search domains', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remedium-dns-'))
    const file = join(folder, 'resolv.conf')
    writeFileSync(
      file,
      `nameserver ${SERVER}\nsearch shop.${CLUSTER} ${CLUSTER} cluster.local\noptions ndots:5\n`,
    )
    const lookUp = (name: string) =>
      runProgram(
        'unshare',
        ['-m', 'sh', '-c', `mount --bind ${file} /etc/resolv.conf && getent ahostsv4 ${name}`],
        { namespace: dns.namespace, timeoutMs: 20_000 },
      )
    try {
      expect((await lookUp('web')).stdout).toMatch(/^10\.96\.7\.7\s+STREAM/)
      expect((await lookUp('web.shop')).stdout).toMatch(/^10\.96\.7\.7\s+STREAM/)
      // Too long for a datagram: the C library retries over TCP.
      expect((await lookUp('big')).stdout.match(/STREAM/g)).toHaveLength(60)
      expect((await lookUp('missing')).exitCode).toBe(2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("can use Node's resolver", async () => {
    const script = `const { Resolver } = require('node:dns/promises')
      const resolver = new Resolver()
      resolver.setServers(['${SERVER}'])
      Promise.all([
        resolver.resolve4('web.shop.${CLUSTER}'),
        resolver.resolveSrv('_sql._tcp.db.shop.${CLUSTER}'),
        resolver.reverse('10.96.7.7'),
        resolver.resolve4('missing.shop.${CLUSTER}').catch(({ code }) => code),
        resolver.resolve4('example.com').catch(({ code }) => code),
      ]).then(([a, srv, ptr, ...codes]) => console.log(JSON.stringify([a, srv.length, ptr, ...codes])))`
    const output = await runChecked(process.execPath, ['-e', script], { namespace: dns.namespace })
    expect(JSON.parse(output)).toEqual([['10.96.7.7'], 3, [`web.shop.${CLUSTER}`], 'ENOTFOUND', 'ESERVFAIL'])
  })
})
