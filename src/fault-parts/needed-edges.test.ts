/** Only calls that hurt users when they fail are worth breaking. */
import { expect, it } from 'vitest'
import type { SystemView } from '../spec/index.ts'
import { isByName, liveCallers, neededCallers, neededEdges } from './needed-edges.ts'

const SERVICES = ['web', 'cart', 'ads', 'mail', 'old', 'store']

const system = {
  workloads: SERVICES.map((service) => ({ service })),
  edges: [
    { from: 'web', to: 'cart' },
    { from: 'web', to: 'ads' },
    { from: 'web', to: 'old' },
    { from: 'web', to: 'elsewhere' },
    { from: 'cart', to: 'store' },
    { from: 'mail', to: 'store' },
  ],
  impactOf: (service: string) => ({ down: service === 'mail' ? [] : ['buy'], slow: [], starved: [] }),
  topology: {
    services: {
      web: {
        behaviour: {
          upstreams: { cart: { registry: 'consul' }, ads: {}, old: { dead: true } },
          endpoints: {
            'GET /': {
              steps: [
                { parallel: [{ do: [{ call: 'cart GetCart' }] }, { call: 'ads GetAds', critical: false }] },
                { call: 'old Get' },
                { call: 'elsewhere Get' },
              ],
            },
          },
        },
      },
      cart: { behaviour: { upstreams: { store: {} }, start: [{ query: 'store', redis: ['"PING"'] }] } },
      mail: { behaviour: { upstreams: { store: {} }, endpoints: { Send: { steps: [{ query: 'store' }] } } } },
    },
  },
} as unknown as SystemView

it('leaves out what is forgiven, dead, outside or without users', () => {
  expect(neededEdges(system)).toEqual([
    { from: 'web', to: 'cart' },
    { from: 'cart', to: 'store' },
  ])
  expect(neededCallers(system, 'store')).toEqual(['cart'])
  expect(neededCallers(system, 'ads')).toEqual([])
  expect(liveCallers(system, 'store')).toEqual(['cart', 'mail'])
})

it('knows who is found in a registry', () => {
  expect(isByName(system, { from: 'web', to: 'cart' })).toBe(false)
  expect(isByName(system, { from: 'cart', to: 'store' })).toBe(true)
})
