/** Proves that every service fits into the memory that its original is given. */
import { describe, expect, it } from 'vitest'
import { listSystemNames, loadSystem } from './index.ts'

const toMiB = (quantity: string): number => {
  const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity)!
  return Number(amount) * (unit === 'Gi' ? 1024 : 1)
}

describe('footprints', () => {
  it('are below the limits of memory, in all systems', async () => {
    const seen: string[] = []
    for (const name of listSystemNames()) {
      const { topology } = await loadSystem(name)
      for (const [service, { behaviour, deploy }] of Object.entries(topology?.services ?? {})) {
        if (behaviour.footprintMiB === undefined) continue
        seen.push(service)
        const { limits } = deploy.resources as { limits?: { memory?: string } }
        if (limits?.memory !== undefined)
          expect(behaviour.footprintMiB, `${name}: ${service}`).toBeLessThan(toMiB(limits.memory))
      }
    }
    expect(seen).toEqual(expect.arrayContaining(['adservice', 'ts-train-service', 'ts-gateway-service']))
  })
})
