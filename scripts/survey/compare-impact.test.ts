/** Tests how the impact on two engines is compared. */
import { expect, it } from 'vitest'
import type { Impact, System, Workload } from '#spec'
import { agreementText, compareImpact, countAgreement } from './compare-impact.ts'

const NONE: Impact = { down: [], slow: [], starved: [], lossy: [] }
const journeys = ['buy', 'look', 'unused'].map((name) => ({ name, weight: name === 'unused' ? 0 : 1 }))
const system: Pick<System, 'name' | 'impact' | 'workload'> = {
  name: 'shop',
  workload: { journeys } as unknown as Workload,
  impact: { cart: { ...NONE, down: ['buy', 'look'], slow: ['buy'] } },
}

it('counts each journey of each service and kind', () => {
  const simulated = { cart: { ...NONE, down: ['buy'], slow: ['buy', 'look'] } }
  const compared = compareImpact(system, simulated, { services: ['cart'], kinds: [] })
  expect(compared.comparisons.slice(0, 2)).toEqual([
    { service: 'cart', kind: 'down', both: ['buy'], onlyLive: ['look'], onlySimulated: [], neither: 0 },
    { service: 'cart', kind: 'slow', both: ['buy'], onlyLive: [], onlySimulated: ['look'], neither: 0 },
  ])
  expect(countAgreement(compared.comparisons)).toEqual({ equal: 6, all: 8 })
  const text = agreementText([compared])
  expect(text).toContain('shop: 75.0 % (6 of 8)')
  expect(text).toContain(
    'down: 50.0 % (1 of 2); of those affected live, affected in the simulator: 50.0 % (1 of 2)',
  )
  expect(text).toContain('cart down: only live look')
})

it('compares only the measured kinds', () => {
  const { comparisons } = compareImpact(system, { cart: NONE }, { services: ['cart'], kinds: ['lossy'] })
  expect(comparisons.map(({ kind }) => kind)).toEqual(['lossy'])
})
