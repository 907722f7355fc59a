/** Tests that the footprint of every service is below its memory limit. */
import { describe, expect, it } from 'vitest'
import type { ContainerView } from '#spec'
import { listSystemNames, loadSystem } from './index.ts'

const toMiB = (quantity: string): number => {
  const [, amount, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity)!
  return Number(amount) * (unit === 'Gi' ? 1024 : 1)
}

describe('footprints', () => {
  it('are below the memory limits in all systems', async () => {
    const seen: string[] = []
    for (const name of listSystemNames()) {
      const { topology } = await loadSystem(name)
      for (const [service, { behaviour, deploy }] of Object.entries(topology?.services ?? {})) {
        if (behaviour.footprintMiB === undefined) continue
        seen.push(service)
        const limit = (deploy.resources as ContainerView['resources'])?.limits?.memory
        if (limit !== undefined)
          expect(behaviour.footprintMiB, `${name}: ${service}`).toBeLessThan(toMiB(limit))
      }
    }
    expect(seen).toEqual(expect.arrayContaining(['adservice', 'ts-train-service', 'ts-gateway-service']))
  })
})
