/** Tests the priority with a manual clock. */
import { expect, it } from 'vitest'
import { createAdaptivePriority } from './adaptive-priority.ts'

it('prefers the thread while its usage is low, and restores the priority in a flood', () => {
  let [time, cpu] = [0, 0]
  const changes: string[] = []
  const adjustPriority = createAdaptivePriority({
    now: () => time,
    used: () => cpu,
    prefer: () => changes.push('first'),
    restore: () => changes.push('as others'),
  })
  const pass = (milliseconds: number, used: number): void => {
    time += milliseconds
    cpu += used
    adjustPriority()
  }
  expect(changes).toEqual(['first'])
  pass(50, 50)
  pass(60, 0)
  expect(changes).toEqual(['first'])
  for (let turn = 0; turn < 30; turn += 1) pass(10, 9)
  expect(changes).toEqual(['first', 'as others'])
  for (let turn = 0; turn < 30; turn += 1) pass(10, 1)
  expect(changes).toEqual(['first', 'as others', 'first'])
})
