/** Tests that the measured impact of each system covers its services and names its journeys. */
import { describe, expect, it } from 'vitest'
import { type ApiObject, podTemplateOf } from '#spec'
import { listSystemNames, loadSystem } from './index.ts'

const appOf = (object: ApiObject): string | undefined => podTemplateOf(object)?.metadata?.labels?.app

describe.each(listSystemNames())('the impact of the services of %s', (name) => {
  it('covers every service, and names journeys of the default load', async () => {
    const { impact, manifests, workload } = await loadSystem(name)
    const services = (manifests as ApiObject[]).map(appOf).filter((app) => app !== undefined)
    expect(Object.keys(impact ?? {}).sort()).toEqual([...new Set(services)].sort())
    const journeys = workload!.journeys.filter(({ weight }) => weight > 0).map((journey) => journey.name)
    for (const [service, { down, slow, starved, lossy }] of Object.entries(impact!)) {
      for (const journey of [...down, ...slow]) expect(journeys, service).toContain(journey)
      for (const journey of [...starved, ...lossy]) expect(slow, service).toContain(journey)
    }
    for (const effect of ['down', 'slow', 'starved', 'lossy'] as const)
      expect(Object.values(impact!).some((measured) => measured[effect].length > 0)).toBe(true)
  })
})
