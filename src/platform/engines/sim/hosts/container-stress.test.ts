/** Tests stress in a simulated container under a virtual clock. */
import { expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import { createContainerMemory } from './container-memory.ts'
import { createContainerStress } from './container-stress.ts'

const MIB = 2 ** 20

const createTestStress = () => {
  const clock = createVirtualClock()
  const threads: number[] = []
  const kills: string[] = []
  const memory = createContainerMemory({
    clock,
    limitBytes: 1000 * MIB,
    programBytes: 50 * MIB,
    singleProcessOomKill: true,
    oomScoreAdj: -997,
    onOutOfMemory: () => kills.push('program'),
  })
  const stress = createContainerStress({ clock, memory, setBusyThreads: (count) => threads.push(count) })
  const programs = (): readonly string[] => [...new Set(stress.processes().map(({ name }) => name))]
  return { clock, memory, stress, programs, threads, kills }
}

it('keeps threads busy until it ends', () => {
  const { clock, stress, threads } = createTestStress()
  const end = stress.start({ cpu: { workers: 10, load: 50 } })
  clock.advance(100)
  const endOther = stress.start({ cpu: { workers: 4, load: 100 } })
  // stress-ng itself and its workers.
  expect(stress.processes()).toHaveLength(11 + 5)
  expect(stress.processes().at(-1)).toEqual({ name: 'stress-ng', startedAt: clock.now() })
  end()
  end()
  endOther()
  expect(threads).toEqual([5, 9, 4, 0])
  expect(stress.processes()).toEqual([])
})

it('uses memory, and CPU once the memory has grown', () => {
  const { clock, memory, stress, programs, threads } = createTestStress()
  const end = stress.start({ memory: { workers: 2, bytes: 100 * MIB, growMs: 2000, oomScoreAdj: 0 } })
  expect(programs()).toEqual(['memStress'])
  clock.advance(1000)
  expect(memory.usedBytes()).toBeCloseTo(150 * MIB)
  expect(threads).toEqual([0])
  clock.advance(1000)
  expect(threads).toEqual([0, 32])
  end()
  expect(threads).toEqual([0, 32, 0])
  expect(memory.usedBytes()).toBe(50 * MIB)
})

it('ends if the kernel kills a worker', () => {
  const { stress, programs, threads, kills } = createTestStress()
  stress.start({ memory: { workers: 1, bytes: 1280 * MIB, growMs: 0, oomScoreAdj: 0 } })
  expect(threads).toEqual([16, 0])
  expect(programs()).toEqual([])
  expect(kills).toEqual([])
})

it('never starts to use CPU if it ends while its memory grows', () => {
  const { clock, stress, threads } = createTestStress()
  const end = stress.start({ memory: { workers: 1, bytes: MIB, growMs: 2000, oomScoreAdj: 0 } })
  stress.start({ memory: { workers: 1, bytes: MIB, growMs: 3000, oomScoreAdj: 0 } })
  end()
  stress.close()
  clock.advance(10_000)
  expect(threads.every((count) => count === 0)).toBe(true)
})

it('keeps the other workers of stress-ng if the kernel kills those that use memory', () => {
  const { memory, stress, threads, kills } = createTestStress()
  const end = stress.start({ cpu: { workers: 2, load: 50 }, virtualMemory: { workers: 3, bytes: 600 * MIB } })
  expect(memory.usedBytes()).toBe(650 * MIB)
  expect(stress.processes()).toHaveLength(1 + 2 + 6)
  memory.allocate(400 * MIB)
  expect(stress.processes()).toHaveLength(1 + 2)
  end()
  expect(threads).toEqual([4, 1, 0])
  expect(kills).toEqual([])
})
