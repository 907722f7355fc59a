/** Tests the limit of concurrent container starts with a virtual clock. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { createStartSlots } from './start-slots.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('limits concurrent tasks and frees the slots of tasks that hang', async () => {
  const clock = createVirtualClock()
  const slots = createStartSlots(2)
  const started: number[] = []
  const finishers: (() => void)[] = []
  const task = (name: number) => (): Promise<void> => {
    started.push(name)
    return new Promise((resolve) => {
      finishers[name] = resolve
    })
  }
  const runs = [0, 1, 2, 3, 4].map((name) => slots.run(task(name), clock))
  await nextTurn()
  expect(started).toEqual([0, 1])
  finishers[1]!()
  await nextTurn()
  expect(started).toEqual([0, 1, 2])
  clock.advance(5000)
  await nextTurn()
  expect(started).toEqual([0, 1, 2, 3, 4])
  for (const end of finishers) end()
  await Promise.all(runs)
  // The tasks that hung have freed their slots once, not twice.
  const laterRuns = [5, 6, 7].map((name) => slots.run(task(name), clock))
  await nextTurn()
  expect(started.slice(5)).toEqual([5, 6])
  for (const name of [5, 6]) finishers[name]!()
  await nextTurn()
  finishers[7]!()
  await Promise.all(laterRuns)
})
