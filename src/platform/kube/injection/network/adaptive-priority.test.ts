/** Tests the adaptive priority of a thread with a manual clock. */
import { expect, it } from 'vitest'
import { createAdaptivePriority } from './adaptive-priority.ts'

it('raises the priority while CPU usage is low, and restores it during a flood of packets', () => {
  let [time, cpu] = [0, 0]
  const changes: string[] = []
  const adjustPriority = createAdaptivePriority({
    now: () => time,
    usedMs: () => cpu,
    raise: () => changes.push('raised'),
    restore: () => changes.push('restored'),
  })
  const advance = (elapsedMs: number, usedMs: number): void => {
    time += elapsedMs
    cpu += usedMs
    adjustPriority()
  }
  expect(changes).toEqual(['raised'])
  advance(50, 50)
  advance(60, 0)
  expect(changes).toEqual(['raised'])
  for (let turn = 0; turn < 30; turn += 1) advance(10, 9)
  expect(changes).toEqual(['raised', 'restored'])
  for (let turn = 0; turn < 30; turn += 1) advance(10, 1)
  expect(changes).toEqual(['raised', 'restored', 'raised'])
})
