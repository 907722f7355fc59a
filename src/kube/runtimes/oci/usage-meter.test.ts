/** Over which time use is averaged. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '../../../kit/index.ts'
import type { ContainerInstance } from './container-instance.ts'
import { createUsageMeter } from './usage-meter.ts'

const create = () => {
  const clock = createVirtualClock(1_000_000)
  const state = { cpuMs: 0, running: true }
  const instance = () =>
    ({
      id: 'a',
      cgroup: 'g',
      container: { name: 'main' },
      pid: state.running ? process.pid : undefined,
    }) as unknown as ContainerInstance
  const register = { allRunning: () => (state.running ? [instance()] : []), ofPod: () => [instance()] }
  const meter = createUsageMeter(register, clock, () => ({ cpuMs: state.cpuMs, memory: 7 }))
  /** Lets it use so many cores for a time. */
  const use = (cores: number, seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      state.cpuMs += cores * 1000
      clock.advance(1000)
    }
  }
  return { meter, state, use, main: () => meter.usageOf('uid').main }
}

it('is about the last seconds, not the whole life', () => {
  const { use, main, meter } = create()
  use(0, 120)
  use(0.5, 20)
  expect(main()!.cpu).toBeCloseTo(0.5)
  expect(main()).toMatchObject({ memory: 7 })
  expect(main()!.windowMs).toBeGreaterThanOrEqual(5000)
  expect(main()!.windowMs).toBeLessThanOrEqual(15_000)
  use(0, 20)
  expect(main()!.cpu).toBe(0)
  meter.close()
})

it('does not change by being asked often', () => {
  const { use, main, meter } = create()
  use(0.25, 30)
  expect(Array.from({ length: 20 }, () => main()!.cpu)).toEqual(Array.from({ length: 20 }, () => 0.25))
  meter.close()
})

it('says nothing of what does not run, and starts afresh', () => {
  const { use, main, state, meter } = create()
  use(1, 30)
  state.running = false
  expect(main()).toBeUndefined()
  use(0, 10)
  state.running = true
  use(0, 20)
  expect(main()!.cpu).toBe(0)
  meter.close()
})
