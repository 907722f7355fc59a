/** Tests the faults that the network applies to packets. */
import { describe, expect, it } from 'vitest'
import { percentile, sleep } from '#kit'
import type { PacketEffects } from '#platform/kube/simulated'
import type { ProgramConnection } from '#spec'
import { ask, codeOf, createTestNetwork, serveEcho } from './testing/create-test-network.ts'

const createFixture = (answerBytes = 300) => {
  const test = createTestNetwork()
  const [a, b, c] = [test.addPod('a'), test.addPod('b', { node: 'node2' }), test.addPod('c')]
  for (const pod of [a, b, c]) serveEcho(pod, 8080, answerBytes)
  const connect = (): Promise<ProgramConnection> => test.run(() => a.network.connect(b.ip, 8080))
  return { ...test, a, b, c, connect }
}

const delayOf = (latencyMs: number): PacketEffects => ({ delay: { latencyMs, jitterMs: 0, correlation: 0 } })
const lossOf = (percent: number): PacketEffects => ({ loss: { percent, correlation: 0 } })

/** Waits between requests, so that each starts on an idle connection. */
const PAUSE_MS = 500
/** The timeout of clients. */
const TIMEOUT_MS = 60_000

/** The times of many exchanges on many connections, sorted. */
const timesOf = async (
  { connect, run, clock }: ReturnType<typeof createFixture>,
  { connections = 200, rounds = 5, apply }: { connections?: number; rounds?: number; apply(): void },
): Promise<number[]> => {
  const all: ProgramConnection[] = []
  for (let index = 0; index < connections; index += 1) all.push(await connect())
  apply()
  const times: number[] = []
  const use = async (connection: ProgramConnection, index: number): Promise<void> => {
    await sleep(clock, (index * 7) % 997)
    for (let round = 0; round < rounds; round += 1) {
      const start = clock.now()
      await Promise.race([ask(connection).catch(codeOf), sleep(clock, TIMEOUT_MS)])
      times.push(clock.now() - start)
      await sleep(clock, PAUSE_MS)
    }
  }
  await run(() => Promise.all(all.map(use)))
  return times.sort((x, y) => x - y)
}

const shareBelow = (times: readonly number[], ms: number): number =>
  times.filter((time) => time < ms).length / times.length

describe('a delay', () => {
  it('applies to each packet that the pod sends', async () => {
    const { a, b, network, connect, time } = createFixture()
    const connection = await connect()
    const revert = network.applyEffects(b.uid, delayOf(1000))
    expect((await time(() => ask(connection))).ms).toBeCloseTo(1000.1, 2)
    // The answers to the SYN and to the request.
    const opened = await time(async () => ask(await a.network.connect(b.ip, 8080)))
    expect(opened.ms).toBeCloseTo(2000.2, 2)
    // The SYN and the request.
    const calling = await time(async () => ask(await b.network.connect(a.ip, 8080)))
    expect(calling.ms).toBeCloseTo(2000.2, 2)
    revert()
    revert()
    expect((await time(() => ask(connection))).ms).toBeLessThan(1)
  })

  it('does not apply inside the pod', async () => {
    const { b, network, time } = createFixture()
    network.applyEffects(b.uid, { ...delayOf(1000), ...lossOf(100) })
    network.cut(b.uid, 'both')
    for (const host of ['localhost', '127.0.0.1', b.ip])
      expect((await time(async () => ask(await b.network.connect(host, 8080)))).ms).toBeLessThan(1)
    for (const via of ['loopback', 'address'] as const)
      expect((await time(() => network.connectInside(b.uid, 8080, via))).ms).toBeLessThan(1)
  })

  it('adds to another delay, and is reverted independently', async () => {
    const { a, b, network, connect, time } = createFixture()
    const connection = await connect()
    const revertFirst = network.applyEffects(a.uid, delayOf(50))
    network.applyEffects(a.uid, delayOf(30))
    network.applyEffects(b.uid, delayOf(7))
    expect((await time(() => ask(connection))).ms).toBeCloseTo(87.1, 2)
    revertFirst()
    expect((await time(() => ask(connection))).ms).toBeCloseTo(37.1, 2)
  })

  it('applies only to its peers: the address that the pod dials', async () => {
    const { a, b, c, network, addService, time } = createFixture()
    const service = addService('b', {}, [b])
    network.applyEffects(a.uid, delayOf(40), [`${b.ip}/32`])
    network.applyEffects(a.uid, delayOf(5), ['10.244.0.0/16'])
    network.applyEffects(a.uid, delayOf(3000), [])
    const timeOf = async (host: string, port = 8080): Promise<number> =>
      (await time(async () => ask(await a.network.connect(host, port)))).ms
    expect(await timeOf(b.ip)).toBeCloseTo(2 * 45 + 0.2, 2)
    expect(await timeOf(c.ip)).toBeCloseTo(2 * 5 + 0.2, 2)
    expect(await timeOf(service, 80)).toBeLessThan(1)
    network.applyEffects(a.uid, delayOf(20), [`${service}/32`])
    expect(await timeOf(service, 80)).toBeCloseTo(2 * 20 + 0.2, 2)
    expect(() => network.applyEffects(a.uid, delayOf(1), ['invalid'])).toThrow('not invalid')
  })

  it('varies with its jitter, and keeps messages in order', async () => {
    const test = createFixture()
    const { b, network, connect, run, clock } = test
    const connection = await connect()
    network.applyEffects(b.uid, { delay: { latencyMs: 100, jitterMs: 80, correlation: 0 } })
    const answered: unknown[] = []
    const times: number[] = []
    const start = clock.now()
    await run(() =>
      Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          answered.push(await ask(connection, index))
          times.push(clock.now() - start)
        }),
      ),
    )
    expect(answered).toEqual(Array.from({ length: 200 }, (_, index) => index))
    expect(times[0]).toBeGreaterThan(20)
    expect(times.at(-1)).toBeLessThan(180.2)
    const single = await timesOf(test, { connections: 50, apply: () => {} })
    expect(percentile(single, 0.5)).toBeGreaterThan(90)
    expect(percentile(single, 0.5)).toBeLessThan(110)
    expect(single[0]).toBeLessThan(30)
  })

  it('releases held packets when it is reverted', async () => {
    const { b, network, connect, clock, time } = createFixture()
    const connection = await connect()
    const revert = network.applyEffects(b.uid, delayOf(5000))
    clock.after(300, revert)
    const { result, ms } = await time(() => Promise.all([1, 2, 3].map((number) => ask(connection, number))))
    expect(result).toEqual([1, 2, 3])
    expect(ms).toBeCloseTo(300, 0)
  })

  it('makes large answers wait for acknowledgements until the window has grown', async () => {
    // Measured for 40 kB at 200 ms: 403, then 201; for 200 kB: 803, then 403 after a pause.
    const { b, network, connect, time } = createFixture(40_000)
    const connection = await connect()
    network.applyEffects(b.uid, delayOf(200))
    expect((await time(() => ask(connection))).ms).toBeCloseTo(400, -1)
    expect((await time(() => ask(connection))).ms).toBeCloseTo(200, -1)
    const large = createFixture(200_000)
    const other = await large.connect()
    large.network.applyEffects(large.b.uid, delayOf(200))
    expect((await large.time(() => ask(other))).ms).toBeCloseTo(800, -1)
  })

  it('lets packets overtake each other', async () => {
    const { b, network, connect, time } = createFixture()
    const connection = await connect()
    network.applyEffects(b.uid, { ...delayOf(60), reorder: { percent: 50, correlation: 0, gap: 1 } })
    const times: number[] = []
    for (let index = 0; index < 200; index += 1) times.push((await time(() => ask(connection))).ms)
    expect(shareBelow(times, 1)).toBeCloseTo(0.5, 1)
    expect(Math.max(...times)).toBeCloseTo(60.1, 2)
  })
})

describe('loss', () => {
  it('of half of the packets delays answers as TCP does', async () => {
    for (const pod of ['a', 'b'] as const) {
      const test = createFixture()
      const times = await timesOf(test, {
        apply: () => test.network.applyEffects(test[pod].uid, lossOf(50)),
      })
      expect(shareBelow(times, 1)).toBeCloseTo(0.5, 1)
      // Measured: median 205, 75 % 415, 90 % 845, 95 % 1681, 99 % 13252; mean 598.
      expect(shareBelow(times, 220)).toBeCloseTo(0.75, 1)
      expect(percentile(times, 0.9)).toBeGreaterThan(700)
      expect(percentile(times, 0.9)).toBeLessThan(1700)
      expect(percentile(times, 0.99)).toBeGreaterThan(3000)
      expect(percentile(times, 0.99)).toBeLessThan(28_000)
    }
  })

  it('of four fifths of the packets delays some answers by more than a minute', async () => {
    const test = createFixture()
    const times = await timesOf(test, {
      rounds: 1,
      connections: 400,
      apply: () => test.network.applyEffects(test.b.uid, lossOf(80)),
    })
    // Measured: 25 % 206, median 843, 60 % 1682, 75 % 13309, 90 % over 60 s.
    expect(shareBelow(times, 1)).toBeCloseTo(0.2, 1)
    expect(percentile(times, 0.5)).toBeGreaterThan(400)
    expect(percentile(times, 0.5)).toBeLessThan(1700)
    expect(percentile(times, 0.9)).toBeGreaterThan(20_000)
  })

  it('affects a large answer as a whole, and then its segments', async () => {
    const test = createFixture(40_000)
    const times = await timesOf(test, { apply: () => test.network.applyEffects(test.b.uid, lossOf(50)) })
    // Measured: at once 0.26, median 1483, 75 % 4630, 90 % 14325.
    expect(shareBelow(times, 50)).toBeCloseTo(0.28, 1)
    expect(percentile(times, 0.5)).toBeGreaterThan(1000)
    expect(percentile(times, 0.5)).toBeLessThan(3000)
    expect(percentile(times, 0.9)).toBeGreaterThan(9000)
    expect(percentile(times, 0.9)).toBeLessThan(20_000)
  })

  it('delays new connections by seconds', async () => {
    const connectTimes = async (pod: 'a' | 'b'): Promise<number[]> => {
      const test = createFixture()
      test.network.applyEffects(test[pod].uid, lossOf(50))
      const times: number[] = []
      for (let index = 0; index < 400; index += 1)
        times.push((await test.time(() => test.a.network.connect(test.b.ip, 8080))).ms)
      return times.sort((x, y) => x - y)
    }
    // Measured for the client: at once 0.53, 75 % 1032, 90 % 3060; for the server: 75 % 1024, 90 % 2036.
    const client = await connectTimes('a')
    expect(shareBelow(client, 1)).toBeCloseTo(0.5, 1)
    expect(shareBelow(client, 1001)).toBeCloseTo(0.75, 1)
    expect(shareBelow(client, 2001)).toBeCloseTo(0.875, 1)
    const server = await connectTimes('b')
    expect(shareBelow(server, 1)).toBeCloseTo(0.5, 1)
    expect(shareBelow(server, 1001)).toBeCloseTo(0.875, 1)
    expect(shareBelow(server, 2001)).toBeGreaterThan(shareBelow(client, 2001))
  })

  it('is detected through a later message that arrives', async () => {
    const { b, network, connect, run, clock } = createFixture()
    const connections: ProgramConnection[] = []
    for (let index = 0; index < 100; index += 1) connections.push(await connect())
    network.applyEffects(b.uid, lossOf(20))
    const times: number[] = []
    const timeOne = async (connection: ProgramConnection): Promise<void> => {
      const start = clock.now()
      await ask(connection)
      times.push(clock.now() - start)
    }
    await run(() =>
      Promise.all(
        connections.flatMap((connection) =>
          Array.from({ length: 50 }, async (_, number) => {
            await sleep(clock, 20 * number)
            await timeOne(connection)
          }),
        ),
      ),
    )
    // Measured: 60 % 31, 75 % 79, 90 % 248, 95 % 604. A single message that is lost waits for 208 ms.
    times.sort((x, y) => x - y)
    expect(shareBelow(times, 100)).toBeGreaterThan(0.65)
    expect(shareBelow(times, 100)).toBeLessThan(0.85)
    expect(shareBelow(times, 50) - shareBelow(times, 1)).toBeGreaterThan(0.05)
    expect(percentile(times, 0.9)).toBeGreaterThan(100)
    expect(percentile(times, 0.9)).toBeLessThan(500)
  })

  it('of all packets ends with the next retransmission after it is reverted', async () => {
    const { b, network, connect, clock, time } = createFixture()
    const connection = await connect()
    const revert = network.applyEffects(b.uid, lossOf(100))
    clock.after(600, revert)
    const { result, ms } = await time(() => ask(connection, 'late'))
    expect(result).toBe('late')
    expect(ms).toBeCloseTo(833, -1)
  })

  it('is the effect of corruption, but not of duplication', async () => {
    const corrupt = createFixture()
    const times = await timesOf(corrupt, {
      apply: () => corrupt.network.applyEffects(corrupt.b.uid, { corrupt: { percent: 50, correlation: 0 } }),
    })
    expect(shareBelow(times, 1)).toBeCloseTo(0.5, 1)
    const duplicated = createFixture()
    const effects = { duplicate: { percent: 100, correlation: 0 }, ...lossOf(50) }
    const better = await timesOf(duplicated, {
      apply: () => duplicated.network.applyEffects(duplicated.b.uid, effects),
    })
    expect(shareBelow(better, 1)).toBeCloseTo(0.75, 1)
  })
})

describe('a bandwidth limit', () => {
  it('delays messages by their size, after a burst', async () => {
    const { b, network, connect, time } = createFixture(1000)
    const connection = await connect()
    const bandwidth = { rate: 80_000, limit: 20_000, buffer: 2000 }
    const revert = network.applyEffects(b.uid, { bandwidth })
    expect((await time(() => ask(connection))).ms).toBeLessThan(1)
    const asked = await time(async () => {
      for (let index = 0; index < 20; index += 1) await ask(connection)
    })
    // 10 bytes per millisecond for answers of 1066 bytes and acknowledgements of 66 bytes.
    expect(asked.ms).toBeGreaterThan(20 * 106 - 100)
    expect(asked.ms).toBeLessThan(20 * 120)
    revert()
    expect((await time(() => ask(connection))).ms).toBeLessThan(1)
  })

  it('is shared by all connections of the pod', async () => {
    // Measured with 20 connections, 3 rounds and answers of 3 kB at 400 kbit/s: median 509, 90 % 2144, longest 3646.
    const test = createFixture(3000)
    const bandwidth = { rate: 400_000, limit: 5000, buffer: 2000 }
    const start = test.clock.now()
    const times = await timesOf(test, {
      connections: 20,
      rounds: 3,
      apply: () => test.network.applyEffects(test.b.uid, { bandwidth }),
    })
    expect(percentile(times, 0.5)).toBeGreaterThan(100)
    expect(percentile(times, 0.9)).toBeLessThan(4000)
    expect(test.clock.now() - start).toBeGreaterThan((20 * 3 * 3000) / 50)
  })

  it('of annotations applies to both directions, and drops packets that would wait too long', async () => {
    const { a, addPod, run, time } = createFixture()
    const rate = { 'kubernetes.io/ingress-bandwidth': '4k', 'kubernetes.io/egress-bandwidth': '4k' }
    const slow = addPod('slow', { annotations: rate })
    serveEcho(slow)
    const connection = await run(() => a.network.connect(slow.ip, 8080))
    // Measured with three connections: 2 to 3 s per answer of 300 bytes.
    const { ms } = await time(async () => {
      for (let index = 0; index < 10; index += 1) await ask(connection)
    })
    // 500 bytes per second in each direction, for 10 messages of 366 bytes, without a burst of 1600 bytes.
    expect(ms).toBeGreaterThan(3500)
    expect(ms).toBeLessThan(9000)
    const { ms: large } = await time(() => ask(connection, 'x', 10_000))
    expect(large).toBeGreaterThan(20_000)
    expect(() => addPod('bad', { annotations: { 'kubernetes.io/ingress-bandwidth': '1' } })).toThrow(
      'unreasonably small',
    )
  })
})

describe('a cut', () => {
  it('makes new connections time out after 131 s, instead of refusing them', async () => {
    const { a, b, network, time } = createFixture()
    const revert = network.cut(b.uid, 'both')
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const { result, ms } = await time(() => from.network.connect(to.ip, 9999))
      expect(result).toBe('ETIMEDOUT')
      expect(ms).toBeCloseTo(131_000, 0)
    }
    revert()
    expect((await time(() => a.network.connect(b.ip, 8080))).ms).toBeLessThan(1)
  })

  it('in one direction prevents all answers', async () => {
    for (const direction of ['outgoing', 'incoming'] as const) {
      const { a, b, network, connect, clock, time } = createFixture()
      const connection = await connect()
      const revert = network.cut(b.uid, direction)
      expect((await time(() => a.network.connect(b.ip, 8080))).result).toBe('ETIMEDOUT')
      clock.after(300, revert)
      const { result, ms } = await time(() => ask(connection, 'again'))
      expect(result).toBe('again')
      expect(ms).toBeCloseTo(416, -1)
    }
  })

  it('separates the pod only from its peers', async () => {
    const { a, b, c, network, time } = createFixture()
    network.cut(a.uid, 'both', [`${b.ip}/32`])
    expect((await time(() => a.network.connect(b.ip, 8080))).result).toBe('ETIMEDOUT')
    expect((await time(() => b.network.connect(a.ip, 8080))).result).toBe('ETIMEDOUT')
    expect((await time(() => a.network.connect(c.ip, 8080))).ms).toBeLessThan(1)
    network.cut(a.uid, 'both', [])
    expect((await time(() => c.network.connect(a.ip, 8080))).ms).toBeLessThan(1)
  })

  it('hides the end of a program from its peers until it is reverted', async () => {
    const { b, network, connect, clock, run } = createFixture()
    const connection = await connect()
    const revert = network.cut(b.uid, 'outgoing')
    b.process.end()
    await run(() => sleep(clock, 5000))
    expect(connection.isClosed).toBe(false)
    revert()
    await run(() => sleep(clock, 10_000))
    expect(connection.isClosed).toBe(true)
  })

  it('ends with its pod', async () => {
    const { b, network } = createFixture()
    const reverts = [network.cut(b.uid, 'both'), network.applyEffects(b.uid, delayOf(10))]
    b.model.detach()
    for (const revert of reverts) revert()
    expect(() => network.cut(b.uid, 'both')).toThrow('not attached')
  })
})
