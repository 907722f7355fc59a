/** Tests the statistics of a real container, and of files in the format of cgroup version 2. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ContainerInstance } from '../containers/container-instance.ts'
import { createRuntimeFixture } from '../testing/runtime-fixture.ts'
import { createContainerStatistics } from './container-statistics.ts'

const instanceIn = (cgroup: string) =>
  ({ cgroup, pid: process.pid, container: { name: 'main' } }) as unknown as ContainerInstance

it('reports the usage and the throttling of a container', async () => {
  const fixture = createRuntimeFixture()
  try {
    const { pod } = await fixture.start({
      command: [
        'sh',
        '-c',
        'head -c 8000000 /dev/zero > /big; x=$(cat /big | tr "\\0" a); while :; do :; done',
      ],
      resources: { limits: { cpu: '100m', memory: '128Mi' } },
    })
    const read = () => fixture.runtime.statistics.read(pod.metadata.uid)!.containers.main!
    await expect.poll(() => read().cpuThrottledPeriods).toBeGreaterThan(2)
    const { cpuSeconds, cpuPeriods, cpuThrottledSeconds, memoryWorkingSet, memoryLimit } = read()
    expect(cpuSeconds).toBeGreaterThan(0.01)
    expect(cpuPeriods).toBeGreaterThan(2)
    expect(cpuThrottledSeconds).toBeGreaterThan(0)
    expect(memoryWorkingSet).toBeGreaterThan(100_000)
    expect(memoryLimit).toBe(128 * 2 ** 20)
    expect(fixture.runtime.statistics.read('unknown')).toBeUndefined()
  } finally {
    await fixture.close()
  }
})

it('reads cgroups of version 2', () => {
  const folder = mkdtempSync(join(tmpdir(), 'groups-'))
  const group = join(folder, 'pod')
  mkdirSync(group)
  const files = {
    'cpu.stat': 'usage_usec 2500000\nuser_usec 1\nnr_periods 40\nnr_throttled 10\nthrottled_usec 500000\n',
    'memory.current': '5000\n',
    'memory.stat': 'anon 1\ninactive_anon 7\ninactive_file 2000\n',
    'memory.max': '8000\n',
    'io.stat': '8:0 rbytes=10000000000 wbytes=20000000000 rios=1\n8:16 rbytes=1 wbytes=2 rios=1\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(group, name), text)
  const statistics = createContainerStatistics({ containersOf: () => [instanceIn('pod')] }, () => ({
    version: 2,
    folders: [folder],
    folderOf: () => folder,
  }))
  const { containers, network } = statistics.read('u')!
  expect(containers.main).toEqual({
    cpuSeconds: 2.5,
    cpuPeriods: 40,
    cpuThrottledPeriods: 10,
    cpuThrottledSeconds: 0.5,
    memoryWorkingSet: 3000,
    memoryLimit: 8000,
    readBytes: 10_000_000_001,
    writtenBytes: 20_000_000_002,
  })
  expect(Object.values(network!).every(Number.isFinite)).toBe(true)
  rmSync(folder, { recursive: true })
})

it('reports zeros for a removed cgroup, and omits containers that are not running', () => {
  const removed = createContainerStatistics({ containersOf: () => [instanceIn('remedium/not-there')] })
  expect(removed.read('u')!.containers.main).toMatchObject({
    cpuSeconds: 0,
    memoryWorkingSet: 0,
    cpuPeriods: 0,
  })
  const ended = { ...instanceIn('x'), pid: undefined } as unknown as ContainerInstance
  expect(createContainerStatistics({ containersOf: () => [ended] }).read('u')).toBeUndefined()
})
