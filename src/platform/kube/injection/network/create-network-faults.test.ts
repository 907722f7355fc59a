/** Tests network faults in real network namespaces with ping, HTTP and TCP. Needs root. */
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { Agent, createServer, get, type Server } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRandom } from '#kit'
import { connectInside, listenInside } from '#machine/linux'
import type { NetworkFault } from '#platform/kube/ports'
import { createTestPods, type TestPod, type TestPods } from '../testing/create-test-pods.ts'
import { createNetworkFaults, type NetworkFaults } from './create-network-faults.ts'

// Real packets are slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let network: TestPods
let faults: NetworkFaults
let [a, b, c]: TestPod[] = []
const servers: Server[] = []
const errors: Error[] = []

beforeEach(async () => {
  network = await createTestPods(3)
  ;[a, b, c] = [...network.pods]
  faults = createNetworkFaults({
    random: createRandom('test'),
    marker: {},
    onError: (error) => errors.push(error),
  })
})
afterEach(async () => {
  await faults.close()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
  network.close()
  expect(errors.splice(0)).toEqual([])
})

const apply = (fault: Partial<NetworkFault>, pod = a!) =>
  faults.apply(
    { type: 'network', target: { namespace: 'default', pod: 'p', uid: pod.view.uid }, ...fault },
    pod.view,
  )
const delayOf = (latencyMs: number) => ({ delay: { latencyMs, jitterMs: 0, correlation: 0 } })

interface PingResult {
  received: number
  duplicates: number
  min: number
  average: number
}

const ping = async (from: TestPod, to: TestPod, count: number, ...options: string[]): Promise<PingResult> => {
  // ping fails without replies, which is a valid result here.
  const command = `ping -q -W 0.4 -i 0.01 -c ${count} ${options.join(' ')} ${to.ip} || true`
  const text = await from.run('sh', '-c', command)
  const [, min, average] = /= ([\d.]+)\/([\d.]+)/.exec(text) ?? []
  return {
    received: Number(/(\d+) received/.exec(text)![1]),
    duplicates: Number(/\+(\d+) duplicates/.exec(text)?.[1] ?? 0),
    min: Number(min),
    average: Number(average),
  }
}

const startHttpServer = async (pod: TestPod): Promise<void> => {
  const server = createServer((_, response) => response.end('hello'))
  servers.push(server)
  server.listen({ fd: listenInside(pod.namespace, '0.0.0.0', 8080) })
  await once(server, 'listening')
}

/** Returns the durations of requests over one connection, in milliseconds. */
const requestDurations = async (from: TestPod, to: TestPod, count: number): Promise<number[]> => {
  const socket = await connectInside(from.namespace, to.ip, 8080)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agent.createConnection = () => socket
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const start = performance.now()
    await new Promise<void>((resolve, reject) => {
      get({ host: to.ip, port: 8080, agent }, (response) => response.resume().on('end', resolve)).on(
        'error',
        reject,
      )
    })
    times.push(performance.now() - start)
  }
  agent.destroy()
  return times
}

describe('a delay', () => {
  it('affects ping and HTTP until it is recovered', async () => {
    await startHttpServer(b!)
    const recover = await apply({ effects: delayOf(100) })
    const pings = await ping(a!, b!, 20)
    expect(pings.received).toBe(20)
    expect(pings.min).toBeGreaterThanOrEqual(100)
    expect(pings.average).toBeLessThan(115)
    const times = (await requestDurations(a!, b!, 9)).toSorted((a, b) => a - b)
    expect(times[0]).toBeGreaterThanOrEqual(100)
    // The median, because this process may be busy at times.
    expect(times[4]).toBeLessThan(115)
    await recover()
    expect((await ping(a!, b!, 10)).average).toBeLessThan(5)
  })

  it('adds to another delay and is removed separately', async () => {
    const recoverFirst = await apply({ effects: delayOf(50) })
    const recoverSecond = await apply({ effects: delayOf(50) })
    expect((await ping(a!, b!, 10)).min).toBeGreaterThanOrEqual(100)
    await recoverFirst()
    const remaining = await ping(a!, b!, 10)
    expect(remaining.min).toBeGreaterThanOrEqual(50)
    expect(remaining.average).toBeLessThan(65)
    await recoverSecond()
  })

  it('applies only to the given peers', async () => {
    const recoverB = await apply({ effects: delayOf(40), peers: [`${b!.ip}/32`] })
    const recoverBoth = await apply({ effects: delayOf(30), peers: ['10.244.0.0/16'] })
    const [pingsB, pingsC] = [await ping(a!, b!, 5), await ping(a!, c!, 5)]
    expect(pingsB.min).toBeGreaterThanOrEqual(70)
    expect(pingsC.min).toBeGreaterThanOrEqual(30)
    expect(pingsC.min).toBeLessThan(40)
    await recoverBoth()
    expect((await ping(a!, c!, 5)).min).toBeLessThan(5)
    await recoverB()
  })

  it('supports packets that must be fragmented', async () => {
    const recover = await apply({ effects: delayOf(20) })
    const pings = await ping(a!, b!, 5, '-s 4000')
    expect(pings.received).toBe(5)
    expect(pings.min).toBeGreaterThanOrEqual(20)
    await recover()
  })

  it('releases held packets when it is recovered', async () => {
    const recover = await apply({ effects: delayOf(5000) })
    const pinging = a!.run('ping', '-q', '-c', '1', '-W', '3', b!.ip)
    await pause(300)
    const start = performance.now()
    await recover()
    expect(performance.now() - start).toBeLessThan(250)
    expect(await pinging).toContain('1 received')
  })

  it('does not make a TCP sender wait for each burst', async () => {
    const server = listenInside(b!.namespace, '0.0.0.0', 9000)
    let received = 0
    const tcp = createTcpServer((socket) =>
      socket
        .on('data', (data) => {
          received += data.length
        })
        .on('end', () => socket.end()),
    )
    tcp.listen({ fd: server })
    await once(tcp, 'listening')
    const recover = await apply({ effects: delayOf(100) })
    const socket = await connectInside(a!.namespace, b!.ip, 9000)
    const start = performance.now()
    socket.end(Buffer.alloc(16 << 20))
    await once(socket.resume(), 'end')
    const megabits = (16 * 8.388608) / ((performance.now() - start) / 1000)
    tcp.close()
    await recover()
    expect(received).toBe(16 << 20)
    // A sender that waits for each burst reaches at most 10 Mbit/s.
    expect(megabits).toBeGreaterThan(25)
  })
})

describe('other effects on packets', () => {
  it('lose half of the packets', async () => {
    const recover = await apply({ effects: { loss: { percent: 50, correlation: 0 } } })
    const { received } = await ping(a!, b!, 400, '-i 0.003')
    expect(received).toBeGreaterThanOrEqual(180)
    expect(received).toBeLessThanOrEqual(220)
    await recover()
    expect((await ping(a!, b!, 20)).received).toBe(20)
  })

  it('duplicate, corrupt and reorder packets', async () => {
    const recoverDuplication = await apply({ effects: { duplicate: { percent: 100, correlation: 0 } } })
    expect((await ping(a!, b!, 20)).duplicates).toBeGreaterThanOrEqual(19)
    await recoverDuplication()
    const recoverCorruption = await apply({ effects: { corrupt: { percent: 100, correlation: 0 } } })
    // The receiver detects the corruption by the checksum.
    expect((await ping(a!, b!, 20)).received).toBe(0)
    await recoverCorruption()
    const recoverReordering = await apply({
      effects: { ...delayOf(60), reorder: { percent: 50, correlation: 0, gap: 1 } },
    })
    const times = (await a!.run('ping', '-i', '0.01', '-c', '40', b!.ip))
      .split('\n')
      .flatMap((line) => /time=([\d.]+)/.exec(line)?.slice(1).map(Number) ?? [])
    expect(times.filter((time) => time < 20).length).toBeGreaterThan(10)
    expect(times.filter((time) => time >= 60).length).toBeGreaterThan(10)
    await recoverReordering()
  })

  it('limit the bandwidth to one peer or to all, together with a delay', async () => {
    const listening = [b!, c!].map((pod) =>
      createTcpServer((socket) => socket.resume().on('end', () => socket.end())).listen({
        fd: listenInside(pod.namespace, '0.0.0.0', 9000),
      }),
    )
    const transferSeconds = async (to: TestPod): Promise<number> => {
      const socket = await connectInside(a!.namespace, to.ip, 9000)
      const start = performance.now()
      socket.end(Buffer.alloc(500_000))
      await once(socket.resume(), 'end')
      return (performance.now() - start) / 1000
    }
    const bandwidth = { rate: 8_000_000, limit: 200_000, buffer: 10_000 }
    const recoverFirst = await apply({ effects: { bandwidth }, peers: [`${b!.ip}/32`] })
    expect(await transferSeconds(b!)).toBeGreaterThan(0.4)
    expect(await transferSeconds(c!)).toBeLessThan(0.2)
    const recoverAll = await apply({ effects: { bandwidth, ...delayOf(20) } })
    expect(await transferSeconds(c!)).toBeGreaterThan(0.4)
    expect((await ping(a!, b!, 5)).min).toBeGreaterThanOrEqual(20)
    await recoverFirst()
    await recoverAll()
    expect(await transferSeconds(b!)).toBeLessThan(0.2)
    for (const server of listening) server.close()
    expect(await a!.run('tc', 'qdisc', 'show', 'dev', 'eth0')).not.toMatch(/tbf|htb/)
  })
})

describe('a cut', () => {
  it('separates the pod only from the given peers', async () => {
    const recover = await apply({ cut: 'both', peers: [`${b!.ip}/32`] })
    expect((await ping(a!, b!, 3)).received).toBe(0)
    expect((await ping(b!, a!, 3)).received).toBe(0)
    expect((await ping(a!, c!, 3)).received).toBe(3)
    expect((await ping(b!, c!, 3)).received).toBe(3)
    await recover()
    expect((await ping(a!, b!, 3)).received).toBe(3)
  })

  it('interrupts open connections, which continue afterwards', async () => {
    const echo = createTcpServer((socket) => socket.pipe(socket)).listen({
      fd: listenInside(b!.namespace, '0.0.0.0', 9000),
    })
    const socket = await connectInside(a!.namespace, b!.ip, 9000)
    const recover = await apply({ cut: 'incoming' })
    socket.write('one')
    const answer = once(socket, 'data')
    expect(await Promise.race([answer, pause(300, 'silence')])).toBe('silence')
    // The loopback is not affected.
    expect((await ping(a!, a!, 2)).received).toBe(2)
    await recover()
    expect(String((await answer)[0])).toBe('one')
    socket.destroy()
    echo.close()
  })
})

describe('a network fault', () => {
  it('is rejected if a peer is invalid, and leaves no rules', async () => {
    await expect(apply({ cut: 'both', peers: ['invalid'] })).rejects.toThrow('not invalid')
    expect((await ping(a!, b!, 2)).received).toBe(2)
  })

  it('has no effect with an empty list of peers', async () => {
    const recover = await apply({ cut: 'both', peers: [] })
    expect((await ping(a!, b!, 2)).received).toBe(2)
    await recover()
  })

  it('releases a removed pod, and can be recovered after that', async () => {
    const recover = await apply({ effects: delayOf(30) })
    const recoverFaultOnB = await apply({ effects: delayOf(30) }, b!)
    faults.forget(a!.view.uid)
    await recover()
    expect((await ping(b!, c!, 3)).min).toBeGreaterThanOrEqual(30)
    const identity = a!.namespace.inside(() => readlinkSync('/proc/thread-self/ns/net'))
    const holders = readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === identity
      } catch {
        return false
      }
    })
    // Only the test itself still holds the namespace.
    expect(holders).toEqual([String(a!.namespace.fd)])
    await recoverFaultOnB()
  })

  it('can be recovered after the pod has changed its rules', async () => {
    const recoveries = await Promise.all(
      ([{ cut: 'both' }, { cut: 'both' }, { cut: 'outgoing' }] as const).map((fault) => apply(fault)),
    )
    const rules = async () => (await a!.run('iptables-save', '-t', 'mangle')).split('\n')
    const isJump = (line: string) => line.startsWith('-A INPUT')
    const [jump = ''] = (await rules()).filter(isJump)
    await a!.run('sh', '-c', `iptables -t mangle ${jump.replace('-A', '-D')}`)
    await recoveries[0]!()
    expect((await rules()).filter(isJump)).toHaveLength(1)
    await a!.run('sh', '-c', 'iptables -t mangle -F; iptables -t mangle -X')
    for (const recover of recoveries.slice(1)) await recover()
    expect((await rules()).filter((line) => line.includes('POL-'))).toEqual([])
  })

  it('uses rules that do not reveal it, and removes them on recovery', async () => {
    const recoveries = [
      await apply({ cut: 'outgoing', peers: [`${c!.ip}/32`] }),
      await apply({ effects: delayOf(5), peers: [`${b!.ip}/32`] }),
    ]
    const rules = await a!.run('iptables-save')
    expect(rules).toMatch(/POL-.*-egress/)
    expect(rules).not.toMatch(/remedium|fault/i)
    for (const recover of recoveries) await recover()
    expect(await a!.run('iptables-save')).not.toMatch(/POL-|remedium/)
  })
})
