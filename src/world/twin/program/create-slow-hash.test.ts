/** Tests the CPU time of password hashes. */
import { expect, it } from 'vitest'
import { slowHash } from '#world/expressions'
import { createProcessResources } from '#world/twin/process'
import { createSlowHash } from './create-slow-hash.ts'

it('uses modelled CPU time for each hash, and computes equal hashes once', async () => {
  const uses: number[] = []
  const cpu = { use: async (ms: number) => void uses.push(ms), usedMs: () => 0 }
  const modelled = createSlowHash(cpu)
  const expected = slowHash('modelled')
  const before = process.threadCpuUsage()
  for (let count = 0; count < 50; count += 1) expect(modelled.slowHash('modelled')).toBe(expected)
  const { user } = process.threadCpuUsage(before)
  expect(uses).toHaveLength(50)
  expect(uses.every((ms) => ms > 0)).toBe(true)
  expect(user / 1000).toBeLessThan(50)
  expect(modelled.takePendingWork()).toBeInstanceOf(Promise)
  expect(modelled.takePendingWork()).toBeUndefined()
})

it('computes each hash in a real process, and uses no more CPU time', () => {
  const { cpu } = createProcessResources()
  const real = createSlowHash(cpu)
  const before = cpu.usedMs()
  expect(real.slowHash('real')).toBe(slowHash('real'))
  expect(real.slowHash('real')).toBe(slowHash('real'))
  expect(cpu.usedMs() - before).toBeGreaterThan(4)
  expect(real.takePendingWork()).toBeUndefined()
})
