/** Tests the time of an episode on a cluster that has its own clock. */
import { expect, it } from 'vitest'
import { createVirtualClock, runVirtually } from '#kit'
import { createEpisodeTime } from './episode-time.ts'

it('takes all times from the clock of the cluster', async () => {
  const clock = createVirtualClock(1000)
  const time = createEpisodeTime(clock)
  const calls: string[] = []
  time.after(30_000, () => calls.push(`after ${time.precise()}`))
  await runVirtually(clock, async () => {
    await time.sleep(20_000)
    calls.push(`slept ${time.wall()}`)
    await time.sleep(20_000)
  })
  expect(calls).toEqual(['slept 21000', 'after 31000'])
  expect([time.precise(), time.wall()]).toEqual([41_000, 41_000])
})

it('ends a sleep when its signal aborts, and leaves no timer behind', async () => {
  const clock = createVirtualClock(0)
  const time = createEpisodeTime(clock)
  const controller = new AbortController()
  time.after(5, () => controller.abort())
  await runVirtually(clock, () => time.sleep(60_000, controller.signal))
  expect(clock.now()).toBe(5)
  expect(clock.runNext()).toBe(false)
})
