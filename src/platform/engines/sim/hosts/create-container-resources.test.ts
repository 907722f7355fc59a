/** Tests the resources of a simulated container as a whole, and against the contract of the port. */
import { expect, it } from 'vitest'
import { createRandom, createVirtualClock, runVirtually, sleep } from '#kit'
import { describeProgramResources } from '#platform/engines/sim/hosts/testing'
import { type ContainerResourcesOptions, createContainerResources } from './create-container-resources.ts'
import { createNodeLoad } from './node-load.ts'
import { createVolume } from './volume.ts'

const MIB = 2 ** 20

const createTestContainer = (options: Partial<ContainerResourcesOptions> = {}) => {
  const clock = createVirtualClock()
  const exits: number[] = []
  const resources = createContainerResources({
    clock,
    random: createRandom('container'),
    programBytes: 60 * MIB,
    mounts: [
      { path: '/', volume: createVolume({ kind: 'disk' }) },
      { path: '/data', volume: createVolume({ kind: 'memory', capacityBytes: MIB }) },
    ],
    onOutOfMemory: () => exits.push(clock.now()),
    ...options,
  })
  return { clock, resources, exits }
}

describeProgramResources('a simulated container', async () => {
  const { clock, resources } = createTestContainer()
  return {
    resources,
    folder: '/data',
    run: (work) => runVirtually(clock, work),
    close: async () => resources.close(),
  }
})

it('reports its usage', async () => {
  const { clock, resources } = createTestContainer({ cpuLimit: 0.5, memoryLimitBytes: 512 * MIB })
  await runVirtually(clock, async () => {
    await resources.cpu.use(200)
    const log = await resources.files.open('/log', 'append')
    await log.write(new Uint8Array(1000), 0)
    const inMemory = await resources.files.open('/data/file', 'append')
    await inMemory.write(new Uint8Array(500), 0)
  })
  resources.memory.allocate(4 * MIB)
  expect(resources.read()).toEqual({
    cpuSeconds: expect.closeTo(0.2),
    cpuPeriods: 3,
    cpuThrottledPeriods: 3,
    cpuThrottledSeconds: expect.closeTo(0.15),
    memoryWorkingSet: 64 * MIB,
    memoryLimit: 512 * MIB,
    readBytes: 0,
    writtenBytes: 1000,
  })
  expect(createTestContainer().resources.read()).not.toHaveProperty('memoryLimit')
})

it('slows its program down under stress, and restores it', async () => {
  const { clock, resources } = createTestContainer({ cpuLimit: 0.3, node: createNodeLoad(8) })
  await runVirtually(clock, async () => {
    const measure = async (): Promise<number> => {
      const start = clock.now()
      await resources.cpu.use(10)
      return Math.round(clock.now() - start)
    }
    expect(await measure()).toBe(10)
    const end = resources.stress.start({ cpu: { workers: 9, load: 100 } })
    await sleep(clock, 90)
    // Ten threads share 30 ms of each period.
    expect(await measure()).toBe(301)
    end()
    await sleep(clock, 100)
    expect(await measure()).toBe(10)
  })
})

it('ends when stress exceeds the memory limit', async () => {
  const { clock, resources, exits } = createTestContainer({ memoryLimitBytes: 100 * MIB })
  const start = clock.now()
  const events: string[] = []
  resources.time.after(2000, () => events.push('timer'))
  void resources.cpu.use(1500).then(() => events.push('work'))
  resources.stress.start({ memory: { workers: 1, bytes: 80 * MIB, growMs: 2000, oomScoreAdj: 0 } })
  await runVirtually(clock, () => sleep(clock, 5000))
  expect(exits.map((time) => Math.round(time - start))).toEqual([1000])
  expect(events).toEqual([])
})

it('survives stress that exceeds the memory limit if only one process is killed', async () => {
  const { clock, resources, exits } = createTestContainer({
    memoryLimitBytes: 100 * MIB,
    oomScoreAdj: -997,
    singleProcessOomKill: true,
  })
  resources.stress.start({ memory: { workers: 1, bytes: 80 * MIB, growMs: 2000, oomScoreAdj: 0 } })
  await runVirtually(clock, () => sleep(clock, 5000))
  expect(exits).toEqual([])
  expect(resources.stress.processes()).toEqual([])
  expect(resources.read()).toMatchObject({ memoryWorkingSet: 60 * MIB, cpuSeconds: 0 })
})

it('settles no promise and fires no timer after its end', async () => {
  const { clock, resources } = createTestContainer({ memoryLimitBytes: 100 * MIB, node: createNodeLoad(2) })
  const events: string[] = []
  const { files, cpu, time, memory } = resources
  await runVirtually(clock, async () => {
    const file = await files.open('/data/file', 'append')
    const closedFile = await files.open('/data/file', 'append')
    await closedFile.close()
    files.addFault({ volumePath: '/data', percent: 100, effect: { kind: 'latency', delayMs: 100 } })
    const start = (name: string): void => {
      time.after(20, () => events.push(`${name}: timer`))
      const note = (what: string) => () => events.push(`${name}: ${what}`)
      void cpu.use(20).then(note('work'))
      void cpu.use(0).then(note('no work'))
      void file.write(new Uint8Array(1), 0).then(note('write'))
      void file.sync().then(note('sync'))
      void closedFile.sync().catch(note('closed file'))
      void files.open('/other', 'append').then(note('open'))
      void files.rename('/other', '/another').then(note('rename'), note('rename'))
      void files.remove('/other').then(note('remove'))
    }
    await sleep(clock, 1)
    start('before')
    resources.stress.start({ cpu: { workers: 3, load: 100 } })
    await sleep(clock, 5)
    resources.close()
    start('after')
    memory.allocate(200 * MIB)
    await sleep(clock, 10_000)
  })
  expect(events.filter((event) => event.startsWith('after'))).toEqual([])
  // Calls that need no time ended immediately.
  expect(events.toSorted()).toEqual(
    ['closed file', 'no work', 'open', 'remove', 'rename'].map((what) => `before: ${what}`),
  )
  expect(resources.read().cpuSeconds).toBeLessThan(0.03)
})
