/** Tests the effects of NetworkChaos on packets. Pods measure them by ping, and by HTTP over open connections. */
import { describe, expect, it } from 'vitest'
import { download, httpTimes, measureAgain, median, ping, within } from '../testing/measure.ts'
import { peer, podsNamed, useFaultLab } from '../testing/use-fault-lab.ts'

const lab = useFaultLab([...peer('a'), ...peer('b'), ...peer('c')])

const onA = podsNamed('a')
const REMOVED_WITHIN_MS = 1000

const pingMedian = async (from: string, to: string): Promise<number> =>
  median((await ping(lab, from, await lab.ipOf(to))).times)
const httpMedian = async (from: string, host: string): Promise<number> =>
  median(await httpTimes(lab, from, host))

/** Removes the fault, and checks that nothing is left once kubectl has returned. */
const removeFully = async (name: string, before: object): Promise<void> => {
  expect(await lab.footprint('a')).not.toEqual(before)
  expect(await lab.remove('NetworkChaos', name)).toBeLessThan(REMOVED_WITHIN_MS)
  expect(await lab.footprint('a')).toEqual(before)
  const { received, duplicates, times } = await ping(lab, 'a', await lab.ipOf('b'))
  expect({ received, duplicates }).toEqual({ received: 20, duplicates: 0 })
  expect(median(times)).toBeLessThan(20)
}

describe('delay', () => {
  it('of 100 ms adds 100 to 115 ms to pings and HTTP requests', async () => {
    const before = await lab.footprint('a')
    await lab.inject('NetworkChaos', 'slow', { ...onA, action: 'delay', delay: { latency: '100ms' } })
    // Compares medians, and retries on a busy machine: single packets can wait for a CPU.
    expect(await measureAgain(() => pingMedian('a', 'b'), within(100, 115))).toSatisfy(within(100, 115))
    expect(await measureAgain(() => pingMedian('b', 'a'), within(100, 115))).toSatisfy(within(100, 115))
    expect(await measureAgain(() => httpMedian('a', 'b'), within(100, 115))).toSatisfy(within(100, 115))
    const { times } = await ping(lab, 'a', await lab.ipOf('c'))
    expect(Math.min(...times)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...times)).toBeLessThan(400)
    expect(await measureAgain(() => pingMedian('b', 'c'), within(0, 20))).toBeLessThan(20)
    await removeFully('slow', before)
  })

  it('varies with jitter', async () => {
    const before = await lab.footprint('a')
    const delay = { latency: '60ms', jitter: '30ms' }
    await lab.inject('NetworkChaos', 'uneven', { ...onA, action: 'delay', delay })
    const { times, received } = await ping(lab, 'a', await lab.ipOf('b'), { count: 60, interval: 0.02 })
    expect(received).toBe(60)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(30)
    expect(Math.min(...times)).toBeLessThan(50)
    expect(Math.max(...times)).toBeGreaterThan(70)
    expect(median(times)).toSatisfy(within(45, 85))
    await removeFully('uneven', before)
  })

  it('to a target affects only packets to it, by its address and by its Service', async () => {
    const before = await lab.footprint('a')
    const delay = { latency: '80ms' }
    await lab.inject('NetworkChaos', 'there', {
      ...onA,
      action: 'delay',
      delay,
      direction: 'to',
      target: podsNamed('b'),
    })
    expect(await measureAgain(() => pingMedian('a', 'b'), within(80, 95))).toSatisfy(within(80, 95))
    expect(await measureAgain(() => httpMedian('a', 'b'), within(80, 95))).toSatisfy(within(80, 95))
    expect(await measureAgain(() => pingMedian('a', 'c'), within(0, 20))).toBeLessThan(20)
    expect(await measureAgain(() => pingMedian('b', 'c'), within(0, 20))).toBeLessThan(20)
    await removeFully('there', before)
  })
})

describe('loss', () => {
  it('of 50 % drops 45 to 55 % of 400 pings', async () => {
    const before = await lab.footprint('a')
    await lab.inject('NetworkChaos', 'lossy', { ...onA, action: 'loss', loss: { loss: '50' } })
    const measureLossPercent = async (): Promise<number> => {
      const { sent, received } = await ping(lab, 'a', await lab.ipOf('b'), { count: 400, interval: 0.01 })
      expect(sent).toBe(400)
      return 100 - (received / sent) * 100
    }
    // By chance, a measurement is outside these bounds once in 22 runs, and three in a row once in ten thousand runs.
    expect(await measureAgain(measureLossPercent, within(45, 55))).toSatisfy(within(45, 55))
    await removeFully('lossy', before)
  })
})

it('duplicates packets', async () => {
  const before = await lab.footprint('a')
  await lab.inject('NetworkChaos', 'twice', { ...onA, action: 'duplicate', duplicate: { duplicate: '50' } })
  const { received, duplicates } = await ping(lab, 'a', await lab.ipOf('b'), { count: 200, interval: 0.01 })
  expect(received).toBe(200)
  // By chance, the count is outside these bounds once in 10^5 runs.
  expect(duplicates).toSatisfy(within(68, 132))
  await removeFully('twice', before)
})

it('corrupts packets, which TCP resends', async () => {
  const before = await lab.footprint('a')
  await lab.inject('NetworkChaos', 'bad', { ...onA, action: 'corrupt', corrupt: { corrupt: '20' } })
  const { received } = await ping(lab, 'a', await lab.ipOf('b'), { count: 200, interval: 0.01 })
  // About 40 of 200 are damaged. A receiver drops them, unless the changed bit does not matter.
  expect(received).toSatisfy(within(133, 185))
  expect((await download(lab, 'b', 'a', 65_536)).isCorrect).toBe(true)
  await removeFully('bad', before)
})

it('limits the bandwidth', async () => {
  const before = await lab.footprint('a')
  const bandwidth = { rate: '1mbps', limit: 20_971_520, buffer: 10_000 }
  await lab.inject('NetworkChaos', 'narrow', { ...onA, action: 'bandwidth', bandwidth })
  const { milliseconds, isCorrect } = await download(lab, 'b', 'a', 2 ** 21)
  expect(isCorrect).toBe(true)
  // 2 MiB at 1 MiB per second, plus headers, minus the first burst.
  expect(milliseconds).toSatisfy(within(1850, 2600))
  await removeFully('narrow', before)
})

it('applies several faults at once, each until it is removed', async () => {
  const before = await lab.footprint('a')
  await lab.inject('NetworkChaos', 'late', { ...onA, action: 'delay', delay: { latency: '60ms' } })
  await lab.inject('NetworkChaos', 'lossy', { ...onA, action: 'loss', loss: { loss: '50' } })
  const delayedAndLost = await ping(lab, 'a', await lab.ipOf('b'), { count: 100, interval: 0.01 })
  expect(delayedAndLost.received).toSatisfy(within(27, 73))
  expect(Math.min(...delayedAndLost.times)).toBeGreaterThanOrEqual(60)
  await lab.remove('NetworkChaos', 'lossy')
  const delayedOnly = await ping(lab, 'a', await lab.ipOf('b'))
  expect(delayedOnly.received).toBe(20)
  expect(Math.min(...delayedOnly.times)).toBeGreaterThanOrEqual(60)
  await removeFully('late', before)
})
