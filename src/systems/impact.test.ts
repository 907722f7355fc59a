/** Proves that what was measured of a system speaks of what it has. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../spec/index.ts'
import { listSystemNames, loadSystem } from './index.ts'

const appOf = ({ spec }: ApiObject): string | undefined =>
  (spec as { template?: { metadata?: { labels?: { app?: string } } } } | undefined)?.template?.metadata
    ?.labels?.app

describe.each(listSystemNames())('the impact of the services of %s', (name) => {
  it('is known of every service, and names journeys that users walk', async () => {
    const { impact, manifests, workload } = await loadSystem(name)
    const services = (manifests as ApiObject[]).map(appOf).filter((app) => app !== undefined)
    expect(Object.keys(impact ?? {}).sort()).toEqual([...new Set(services)].sort())
    const journeys = workload!.journeys.filter(({ weight }) => weight > 0).map((journey) => journey.name)
    for (const [service, { down, slow, starved, lossy }] of Object.entries(impact!)) {
      for (const journey of [...down, ...slow]) expect(journeys, service).toContain(journey)
      for (const journey of [...starved, ...lossy]) expect(slow, service).toContain(journey)
    }
    for (const way of ['down', 'slow', 'starved', 'lossy'] as const)
      expect(Object.values(impact!).some((one) => one[way].length > 0)).toBe(true)
  })
})
