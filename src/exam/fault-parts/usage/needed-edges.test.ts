/** Tests that only calls with user impact are found. */
import { expect, it } from 'vitest'
import type { SystemView } from '#spec'
import { dependentCallers, isResolvedByDns, liveCallers, neededEdges } from './needed-edges.ts'

const SERVICES = ['web', 'cart', 'ads', 'mail', 'old', 'store', 'gifts', 'users']

const system: SystemView = {
  workloads: SERVICES.map((service) => ({ service })),
  edges: [
    { from: 'web', to: 'cart' },
    { from: 'web', to: 'ads' },
    { from: 'web', to: 'old' },
    { from: 'web', to: 'elsewhere' },
    { from: 'cart', to: 'store' },
    { from: 'mail', to: 'store' },
    { from: 'web', to: 'gifts' },
    { from: 'web', to: 'users' },
  ],
  journeys: [{ name: 'buy', weight: 1, steps: [{ request: 'GET /' }] }],
  callersOf: (service: string) => system.edges.filter(({ to }) => to === service).map(({ from }) => from),
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
                { call: 'gifts Get', when: 'request.query.gift == "yes"' },
              ],
            },
            'POST /register': { steps: [{ call: 'users Add' }] },
          },
        },
      },
      cart: { behaviour: { upstreams: { store: {} }, start: [{ query: 'store', redis: ['"PING"'] }] } },
      mail: { behaviour: { upstreams: { store: {} }, endpoints: { Send: { steps: [{ query: 'store' }] } } } },
    },
  },
} as unknown as SystemView

it('excludes calls that are tolerated, unused, external, without users, or not needed by every run', () => {
  expect(neededEdges(system)).toEqual([
    { from: 'web', to: 'cart' },
    { from: 'cart', to: 'store' },
  ])
  expect(dependentCallers(system, 'store')).toEqual(['cart'])
  expect(dependentCallers(system, 'ads')).toEqual([])
  expect(liveCallers(system, 'store')).toEqual(['cart', 'mail'])
})

it('recognises upstreams that a registry resolves', () => {
  expect(isResolvedByDns(system, { from: 'web', to: 'cart' })).toBe(false)
  expect(isResolvedByDns(system, { from: 'cart', to: 'store' })).toBe(true)
})
