import { expect, it } from 'vitest'
import { createVirtualClock } from '../../../kit/index.ts'
import { createStartSlots } from './start-slots.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('lets so many run at a time, and others when one hangs', async () => {
  const clock = createVirtualClock()
  const slots = createStartSlots(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const task = (name: number) => (): Promise<void> => {
    begun.push(name)
    return new Promise((resolve) => {
      ends[name] = resolve
    })
  }
  const runs = [0, 1, 2, 3, 4].map((name) => slots.run(task(name), clock))
  await turn()
  expect(begun).toEqual([0, 1])
  ends[1]!()
  await turn()
  expect(begun).toEqual([0, 1, 2])
  clock.advance(5000)
  await turn()
  expect(begun).toEqual([0, 1, 2, 3, 4])
  for (const end of ends) end()
  await Promise.all(runs)
  // Those that hung have given their slots back once, not twice.
  const more = [5, 6, 7].map((name) => slots.run(task(name), clock))
  await turn()
  expect(begun.slice(5)).toEqual([5, 6])
  for (const name of [5, 6]) ends[name]!()
  await turn()
  ends[7]!()
  await Promise.all(more)
})
