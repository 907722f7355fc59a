/** Tests how CPU times are read. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups } from '#machine/linux'
import { readCpuTimes } from './read-cpu-times.ts'

const GROUP = `remedium-test-cpu-${process.pid}`

beforeAll(() => createCgroups().create(GROUP))
afterAll(() => {
  createCgroups().remove(GROUP)
})

it('counts the CPU time of this process, within the total of the machine', () => {
  const before = readCpuTimes(GROUP)
  const startUsage = process.cpuUsage()
  // CPU time, not wall-clock time: the machine may be busy.
  while (process.cpuUsage(startUsage).user < 200_000);
  const now = readCpuTimes(GROUP)
  const [clusterMs, allMs, idleMs] = [
    now.clusterMs - before.clusterMs,
    now.allMs - before.allMs,
    now.idleMs - before.idleMs,
  ]
  expect(clusterMs).toBeGreaterThanOrEqual(200)
  expect(allMs - idleMs).toBeGreaterThan(150)
  expect(idleMs).toBeLessThan(allMs)
})
