/** Tests the CPU of a simulated container under a virtual clock. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually, sleep } from '#kit'
import { createContainerCpu } from './container-cpu.ts'

it('runs tasks one after another, under the limit', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock, limit: 0.1 })
  const ends: number[] = []
  await runVirtually(clock, () =>
    Promise.all([5, 5, 5].map((ms) => cpu.use(ms).then(() => ends.push(clock.now())))),
  )
  expect(ends).toEqual([5, 10, 105])
  expect(cpu.usedMs()).toBeCloseTo(15)
  expect(cpu.read()).toMatchObject({ cpuThrottledPeriods: 1 })
})

it('slows a running task down when other threads become busy, and speeds it up when they end', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock, limit: 0.4 })
  await runVirtually(clock, async () => {
    const work = cpu.use(80).then(() => clock.now())
    await sleep(clock, 100)
    // Four threads share 40 ms of each period: 8 ms for each.
    cpu.setBusyThreads(4)
    await sleep(clock, 300)
    cpu.setBusyThreads(0)
    expect(await work).toBeCloseTo(416)
  })
  expect(cpu.read().cpuSeconds).toBeCloseTo(0.04 + 3 * 0.04 + 0.016)
})

it('completes all work on time with times since the epoch, whose rounding errors are larger', async () => {
  const clock = createVirtualClock()
  const start = clock.now()
  const cpu = createContainerCpu({ clock, limit: 0.2 })
  await runVirtually(clock, async () => {
    for (let round = 0; round < 500; round += 1) await cpu.use(0.137 + round * 0.0173)
  })
  const sum = 500 * 0.137 + (0.0173 * 499 * 500) / 2
  expect(cpu.usedMs()).toBeCloseTo(sum, 0)
  expect(clock.now() - start).toBeGreaterThan(sum * 5 - 100)
  expect(clock.now() - start).toBeLessThan(sum * 5 + 1)
})

it('completes a task if the settings change at the moment of its end', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock })
  clock.after(10, () => cpu.setBusyThreads(3))
  await runVirtually(clock, () => cpu.use(10))
  expect(clock.now()).toBe(10)
})

it('gives 1 ms in each period for the smallest limits', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock, limit: 0.002 })
  await runVirtually(clock, () => cpu.use(3))
  expect(clock.now()).toBeCloseTo(201)
})

it('counts periods only under a limit', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock })
  await runVirtually(clock, () => cpu.use(1000))
  expect(cpu.read()).toEqual({
    cpuSeconds: 1,
    cpuPeriods: 0,
    cpuThrottledPeriods: 0,
    cpuThrottledSeconds: 0,
  })
})

it('needs no CPU for a task of length zero', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock })
  await runVirtually(clock, () => cpu.use(0))
  expect(clock.now()).toBe(0)
})

it('never completes a task after it was closed', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock })
  let hasEnded = false
  const markEnd = (): void => {
    hasEnded = true
  }
  void cpu.use(10).then(markEnd)
  await runVirtually(clock, () => sleep(clock, 5))
  cpu.close()
  void cpu.use(10).then(markEnd)
  void cpu.use(0).then(markEnd)
  cpu.setBusyThreads(2)
  await runVirtually(clock, () => sleep(clock, 1000))
  expect(hasEnded).toBe(false)
  expect(cpu.read().cpuSeconds).toBe(0.005)
})
