/** Tests the memory of a simulated container under a virtual clock. */
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '#kit'
import {
  type ContainerMemoryOptions,
  createContainerMemory,
  type MemoryProcesses,
} from './container-memory.ts'

const MIB = 2 ** 20

const createTestMemory = (options: Partial<ContainerMemoryOptions> = {}) => {
  const clock = createVirtualClock()
  const start = clock.now()
  const kills: string[] = []
  const memory = createContainerMemory({
    clock,
    limitBytes: 200 * MIB,
    programBytes: 50 * MIB,
    onOutOfMemory: () => kills.push(`program at ${Math.round(clock.now() - start)}`),
    ...options,
  })
  const addProcesses = (bytes: number, rest: Partial<MemoryProcesses> = {}) =>
    memory.addProcesses({
      count: 16,
      bytes,
      growMs: 0,
      oomScoreAdj: 0,
      onKilled: () => kills.push(`others at ${Math.round(clock.now() - start)}`),
      ...rest,
    })
  return { clock, memory, kills, addProcesses }
}

describe('the program', () => {
  it('uses its initial memory and its allocations, until they are freed', () => {
    const { memory } = createTestMemory()
    expect(memory.usedBytes()).toBe(50 * MIB)
    const free = memory.allocate(10 * MIB)
    memory.allocate(5 * MIB)
    expect(memory.usedBytes()).toBe(65 * MIB)
    free?.()
    free?.()
    expect(memory.usedBytes()).toBe(55 * MIB)
  })

  it('is killed once when it exceeds the limit', () => {
    const { memory, kills } = createTestMemory()
    memory.allocate(150 * MIB)
    expect(kills).toEqual([])
    memory.allocate(1)
    memory.allocate(MIB)
    expect(kills).toEqual(['program at 0'])
  })

  it('is killed at its start if its initial memory exceeds the limit', () => {
    const { clock, kills } = createTestMemory({ limitBytes: 8 * MIB })
    expect(kills).toEqual([])
    clock.advance(0)
    expect(kills).toEqual(['program at 0'])
  })

  it('is not killed without a limit, or after it has ended', () => {
    const unlimited = createTestMemory({ limitBytes: 0 })
    unlimited.memory.allocate(2 ** 40)
    expect(unlimited.memory.limitBytes).toBe(0)
    const ended = createTestMemory()
    ended.addProcesses(400 * MIB, { growMs: 1000 })
    ended.memory.close()
    ended.memory.allocate(2 ** 40)
    ended.clock.advance(2000)
    expect([...unlimited.kills, ...ended.kills]).toEqual([])
  })
})

describe('other processes', () => {
  it('use memory until they are ended', () => {
    const { memory, addProcesses } = createTestMemory()
    const end = addProcesses(80 * MIB)
    expect(memory.usedBytes()).toBe(130 * MIB)
    end()
    expect(memory.usedBytes()).toBe(50 * MIB)
  })

  it('grow evenly, and the container is killed at the moment at which the limit is reached', () => {
    const { clock, memory, kills, addProcesses } = createTestMemory()
    addProcesses(300 * MIB, { growMs: 10_000 })
    clock.advance(2500)
    expect(memory.usedBytes()).toBeCloseTo(125 * MIB)
    clock.advance(2499)
    expect(kills).toEqual([])
    clock.advance(5000)
    expect(kills).toEqual(['program at 5000'])
  })

  it('are counted with the allocations of the program while they grow', () => {
    const { clock, memory, kills, addProcesses } = createTestMemory()
    addProcesses(100 * MIB, { growMs: 1000 })
    addProcesses(100 * MIB, { growMs: 4000 })
    const free = memory.allocate(20 * MIB)
    clock.advance(500)
    free?.()
    // 50 of the program, 100 of the first processes, and 50 of the second ones after 2 s.
    clock.advance(1490)
    expect(kills).toEqual([])
    clock.advance(20)
    expect(kills).toEqual(['program at 2000'])
  })

  it('are not killed below the limit', () => {
    const { clock, memory, kills, addProcesses } = createTestMemory()
    addProcesses(150 * MIB, { growMs: 3000 })
    clock.advance(60_000)
    expect(memory.usedBytes()).toBe(200 * MIB)
    expect(kills).toEqual([])
  })
})

describe('the kernel, if it kills single processes', () => {
  const single = { singleProcessOomKill: true }

  it('kills the process with the most memory', () => {
    const { memory, kills, addProcesses } = createTestMemory(single)
    addProcesses(160 * MIB, { count: 1 })
    expect(kills).toEqual(['others at 0'])
    expect(memory.usedBytes()).toBe(50 * MIB)
    // Sixteen processes with 10 MiB each are smaller than the program.
    addProcesses(160 * MIB)
    expect(kills).toEqual(['others at 0', 'program at 0'])
  })

  it('takes the adjustments of scores into account', () => {
    const preferred = createTestMemory(single)
    preferred.addProcesses(160 * MIB, { oomScoreAdj: 300 })
    expect(preferred.kills).toEqual(['others at 0'])
    const guaranteed = createTestMemory({ ...single, oomScoreAdj: -997 })
    guaranteed.addProcesses(160 * MIB)
    expect(guaranteed.kills).toEqual(['others at 0'])
    const burstable = createTestMemory({ ...single, oomScoreAdj: 990 })
    burstable.addProcesses(160 * MIB, { count: 1 })
    expect(burstable.kills).toEqual(['program at 0'])
    const exempt = createTestMemory(single)
    exempt.addProcesses(160 * MIB, { count: 1, oomScoreAdj: -1000 })
    expect(exempt.kills).toEqual(['program at 0'])
  })

  it('continues until the memory suffices', () => {
    const { memory, kills, addProcesses } = createTestMemory(single)
    addProcesses(70 * MIB, { count: 1 })
    addProcesses(75 * MIB, { count: 1 })
    memory.allocate(150 * MIB)
    expect(kills).toEqual(['program at 0'])
    const other = createTestMemory({ ...single, oomScoreAdj: -997 })
    other.addProcesses(70 * MIB, { count: 1 })
    other.addProcesses(75 * MIB, { count: 1 })
    other.memory.allocate(145 * MIB)
    expect(other.kills).toEqual(['others at 0', 'others at 0'])
    expect(other.memory.usedBytes()).toBe(195 * MIB)
  })
})
