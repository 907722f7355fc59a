/** Tests how CPU times are read. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCgroups } from '#machine/linux'
import { createSandbox } from '#machine/sandbox'
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

it('counts the CPU time of the programs of a solver, also after they have ended', async () => {
  const sandbox = await createSandbox({ server: 'http://127.0.0.1:1' })
  const before = readCpuTimes(GROUP)
  const startUsage = process.cpuUsage()
  const program = 'import time\nwhile time.process_time() < 0.5: pass'
  await sandbox.run({ command: ['/usr/bin/python3', '-c', program] })
  const during = readCpuTimes(GROUP)
  await sandbox.close()
  const after = readCpuTimes(GROUP)
  const { user, system } = process.cpuUsage(startUsage)
  expect(during.clusterMs - before.clusterMs).toBeGreaterThan(500)
  expect(after.clusterMs - before.clusterMs - (user + system) / 1000).toBeGreaterThan(490)
})
