/** Tests the CPU of a simulated container under a virtual clock. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually, sleep } from '#kit'
import { createContainerCpu } from './container-cpu.ts'

it('runs work one after another, under the limit', async () => {
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

it('slows running work down when other threads become busy, and speeds it up when they end', async () => {
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

it('needs no CPU for work of no length', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock })
  await runVirtually(clock, () => cpu.use(0))
  expect(clock.now()).toBe(0)
})

it('never ends work after it was closed', async () => {
  const clock = createVirtualClock(0)
  const cpu = createContainerCpu({ clock })
  let hasEnded = false
  void cpu.use(10).then(() => {
    hasEnded = true
  })
  cpu.close()
  await runVirtually(clock, () => sleep(clock, 1000))
  expect(hasEnded).toBe(false)
})
