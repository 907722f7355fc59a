/** When a thread comes first, with a clock that is set by hand. */
import { expect, it } from 'vitest'
import { createModestPriority } from './modest-priority.ts'

it('comes first while it needs little, waits for its turn in a flood, and comes first again', () => {
  let [time, cpu] = [0, 0]
  const changes: string[] = []
  const look = createModestPriority({
    now: () => time,
    used: () => cpu,
    prefer: () => changes.push('first'),
    treatAsOthers: () => changes.push('as others'),
  })
  const pass = (milliseconds: number, used: number): void => {
    time += milliseconds
    cpu += used
    look()
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
