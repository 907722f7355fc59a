/** The contract suite of the port ProgramResources, run by every implementation. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeProgramFiles } from './program-files-contract.ts'
import type { GetSubject, ProgramResourcesSubject } from './program-resources-subject.ts'

const MIB = 2 ** 20

const describeTime = (subject: GetSubject): void => {
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => subject().resources.time.after(ms, resolve))

  it('advances on both clocks while a timer runs', async () => {
    const { resources, run } = subject()
    const { time } = resources
    const [before, monotonicBefore] = [time.now(), time.monotonic()]
    await run(() => wait(30))
    const passed = time.monotonic() - monotonicBefore
    expect(passed).toBeGreaterThan(28)
    // Both count from the epoch.
    expect(Math.abs(time.now() - time.monotonic())).toBeLessThan(60_000)
    // A busy machine can pause the test between the two readings.
    expect(Math.abs(time.now() - before - passed)).toBeLessThan(500)
  })

  it('fires timers in the order of their times, and once each', async () => {
    const { resources, run } = subject()
    const fired: string[] = []
    await run(async () => {
      resources.time.after(40, () => fired.push('late'))
      resources.time.after(10, () => fired.push('early'))
      resources.time.after(0, () => fired.push('first'))
      await wait(90)
    })
    expect(fired).toEqual(['first', 'early', 'late'])
  })

  it('fires no timer that was cancelled, and ignores the cancellation of one that has fired', async () => {
    const { resources, run } = subject()
    const fired: string[] = []
    await run(async () => {
      const cancel = resources.time.after(5, () => fired.push('fired'))
      resources.time.after(10, () => fired.push('cancelled'))()
      await wait(30)
      cancel()
    })
    expect(fired).toEqual(['fired'])
  })
}

const describeCpu = (subject: GetSubject): void => {
  it('is used for at least the requested time', async () => {
    const { resources, run } = subject()
    const { cpu, time } = resources
    const [usedBefore, timeBefore] = [cpu.usedMs(), time.monotonic()]
    await run(() => cpu.use(20))
    expect(cpu.usedMs() - usedBefore).toBeGreaterThan(19.9)
    expect(time.monotonic() - timeBefore).toBeGreaterThan(19.9)
  })

  it('runs tasks one after another', async () => {
    const { resources, run } = subject()
    const { cpu } = resources
    const ends: number[] = []
    const usedBefore = cpu.usedMs()
    const use = async (ms: number): Promise<void> => {
      await cpu.use(ms)
      ends.push(ms)
    }
    await run(() => Promise.all([use(15), use(10), use(5)]))
    expect(ends).toEqual([15, 10, 5])
    expect(cpu.usedMs() - usedBefore).toBeGreaterThan(29.9)
  })

  it('completes a task of length zero immediately', async () => {
    const { resources, run } = subject()
    const usedBefore = resources.cpu.usedMs()
    await run(() => resources.cpu.use(0))
    expect(resources.cpu.usedMs() - usedBefore).toBeLessThan(10)
  })
}

const describeMemory = (subject: GetSubject): void => {
  it('grows with allocations, which can be freed twice without effect', () => {
    const { memory } = subject().resources
    expect(memory.limitBytes).toBeGreaterThanOrEqual(0)
    const before = memory.usedBytes()
    expect(before).toBeGreaterThan(0)
    const free = memory.allocate(64 * MIB)
    // Other parts of the process can free memory at the same time.
    expect(memory.usedBytes() - before).toBeGreaterThan(32 * MIB)
    free?.()
    free?.()
    expect(memory.usedBytes()).toBeGreaterThan(before / 2)
  })
}

const describeRandom = (subject: GetSubject): void => {
  it('yields numbers in [0, 1)', () => {
    const { random } = subject().resources
    const numbers = Array.from({ length: 1000 }, () => random.next())
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...numbers)).toBeLessThan(1)
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
    // By chance, the mean is outside these bounds once in 10^7 runs.
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05)
  })

  it('yields as many bytes as requested', () => {
    const { random } = subject().resources
    expect(random.bytes(0)).toHaveLength(0)
    const [first, second] = [random.bytes(17), random.bytes(17)]
    expect(first).toHaveLength(17)
    expect(first).not.toEqual(second)
  })
}

/** `create` is called before each test. */
export const describeProgramResources = (
  name: string,
  create: () => Promise<ProgramResourcesSubject>,
): void => {
  describe(`the resources of ${name}`, () => {
    let current: ProgramResourcesSubject
    const subject: GetSubject = () => current
    beforeEach(async () => {
      current = await create()
    })
    afterEach(() => current.close())

    describe('time', () => describeTime(subject))
    describe('CPU', () => describeCpu(subject))
    describe('memory', () => describeMemory(subject))
    describe('files', () => describeProgramFiles(subject))
    describe('random numbers', () => describeRandom(subject))
  })
}
