/** Tests the time of an episode on a cluster that has its own clock. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { createEpisodeTime } from './episode-time.ts'

it('takes all times from the clock of the cluster', async () => {
  const clock = createVirtualClock(1000)
  const time = createEpisodeTime(clock)
  const calls: string[] = []
  time.after(30_000, () => calls.push(`after ${time.precise()}`))
  await clock.run(async () => {
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
  await clock.run(() => time.sleep(60_000, controller.signal))
  expect(clock.now()).toBe(5)
  expect(clock.runNext()).toBe(false)
})

it('holds the time of a simulated cluster during work outside, and then passes what the work took', async () => {
  const clock = createVirtualClock(0)
  const time = createEpisodeTime(clock)
  const thinking = new Promise<number>((resolve) => setTimeout(() => resolve(3000), 10))
  const seen = await time.run(async () => {
    const answer = await time.waitOutside(thinking, (milliseconds) => milliseconds)
    const free = await time.waitOutside(Promise.resolve('free'), () => 0)
    return [answer, free, clock.now()]
  })
  expect(seen).toEqual([3000, 'free', 3000])
})

it('leaves the time of the machine alone', async () => {
  const time = createEpisodeTime()
  const before = time.precise()
  expect(await time.run(() => time.waitOutside(Promise.resolve(7), () => 60_000))).toBe(7)
  expect(time.precise() - before).toBeLessThan(10_000)
})
