/** Tests of what is told of the machine's cores. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups } from '../../linux/index.ts'
import { cpuTimesOf } from './cpu-times.ts'

const GROUP = `remedium-test-cpu-${process.pid}`

beforeAll(() => createCgroups().create(GROUP))
afterAll(() => {
  createCgroups().remove(GROUP)
})

it('what this process uses is its own, and never more than there is', () => {
  const before = cpuTimesOf(GROUP)
  const began = process.cpuUsage()
  // Of CPU, not of time: the machine may be busy.
  while (process.cpuUsage(began).user < 200_000);
  const now = cpuTimesOf(GROUP)
  const [own, all, idle] = [now.ownMs - before.ownMs, now.allMs - before.allMs, now.idleMs - before.idleMs]
  expect(own).toBeGreaterThanOrEqual(200)
  expect(all - idle).toBeGreaterThan(150)
  expect(idle).toBeLessThan(all)
})
