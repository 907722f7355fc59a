/** Tests the view of a small system. */

import { describe, expect, it } from 'vitest'
import { defined } from '#kit'
import type { System } from '#spec'
import { createSystemView } from './create-system-view.ts'

const createWorkload = (kind: string, name: string, app: string, replicas?: number): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    ...defined({ replicas }),
    template: { metadata: { labels: { app } }, spec: { containers: [{ name: app, image: 'a:1' }] } },
  },
})

const createJourney = (name: string, weight: number) => ({ name, weight, steps: [] })

const system: System = {
  name: 'shop',
  about: 'A shop',
  namespace: 'market',
  manifests: [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'door' }, spec: { selector: { app: 'front' } } },
    createWorkload('Deployment', 'front', 'front'),
    createWorkload('StatefulSet', 'ledger-db', 'ledger', 3),
    createWorkload('Deployment', 'idle', 'idle'),
  ],
  images: [],
  entryPoints: [{ name: 'web', namespace: 'market', service: 'door', port: 80 }],
  workload: {
    journeys: [createJourney('buy', 2), createJourney('prepare', 0)],
    load: { loop: 'closed', users: 1, thinkMs: { min: 1, max: 1 } },
  },
  edges: [
    { from: 'front', to: 'ledger' },
    { from: 'idle', to: 'ledger' },
  ],
  releases: { front: { '0.9': 'good', '1.1': 'crash', '1.2': 'slow' } },
}
const view = createSystemView(system)

describe('createSystemView', () => {
  it('finds workloads by the service of their pods', () => {
    expect(view.workloads.map(({ service, name, replicas }) => [service, name, replicas])).toEqual([
      ['front', 'front', 1],
      ['ledger', 'ledger-db', 3],
      ['idle', 'idle', 1],
    ])
    expect(view.workloadOf('ledger')).toMatchObject({
      kind: 'StatefulSet',
      podSpec: { containers: [{ image: 'a:1' }] },
    })
    expect(() => view.workloadOf('ledger-db')).toThrow('shop has no workload for the service "ledger-db"')
  })

  it('returns callers and journeys', () => {
    expect(view.callersOf('ledger')).toEqual(['front', 'idle'])
    expect(view.callersOf('front')).toEqual([])
    expect(view.journeys.map(({ name }) => name)).toEqual(['buy'])
  })

  it('separates good from bad releases', () => {
    expect(view.releasesOf('front')).toEqual({
      good: ['0.9'],
      bad: new Map([
        ['crash', '1.1'],
        ['slow', '1.2'],
      ]),
    })
    expect(view.releasesOf('ledger')).toEqual({ good: [], bad: new Map() })
  })
})

describe('the impact of a service', () => {
  it('is as measured, and empty for services without a measurement', () => {
    const { impactOf } = createSystemView({
      ...system,
      impact: { ledger: { down: ['buy'], slow: [], starved: [], lossy: [] } },
    })
    expect(impactOf('ledger')).toEqual({ down: ['buy'], slow: [], starved: [], lossy: [] })
    expect(impactOf('front')).toEqual({ down: [], slow: [], starved: [], lossy: [] })
  })

  it('covers all journeys for reachable services if nothing was measured', () => {
    expect(view.impactOf('front')).toEqual({ down: ['buy'], slow: ['buy'], starved: ['buy'], lossy: ['buy'] })
    expect(view.impactOf('ledger')).toEqual({
      down: ['buy'],
      slow: ['buy'],
      starved: ['buy'],
      lossy: ['buy'],
    })
    expect(view.impactOf('idle')).toEqual({ down: [], slow: [], starved: [], lossy: [] })
  })
})
