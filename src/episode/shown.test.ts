/** A control is prepared as a fault is: neither the walks that are asked for nor the time tell which it is. */
import { describe, expect, it } from 'vitest'
import type { Fault, Impact, SystemView } from '../spec/index.ts'
import { drawPretence } from './draw-pretence.ts'
import type { LabCore } from './lab-core.ts'
import { waitUntilFelt } from './shown.ts'
import { createFakeLab, fakeFault, toPlanned } from './testing/fake-lab.ts'

const SUFFERERS: Readonly<Record<string, readonly string[]>> = {
  front: ['look', 'buy', 'pay', 'send', 'rate'],
  cart: ['buy', 'pay'],
  mail: ['send'],
}
const toImpact = (journeys: readonly string[]): Impact => ({
  down: journeys,
  slow: journeys,
  starved: [],
  lossy: [],
})

const VIEW: SystemView = {
  ...createFakeLab().core.view,
  journeys: ['send', 'rate', 'pay', 'look', 'buy'].map((name) => ({ name, weight: 1, steps: [] })),
  impactOf: (service) => toImpact(SUFFERERS[service] ?? []),
}

const toFaults = (...services: readonly (readonly string[])[]): ReadonlyMap<string, Fault> =>
  new Map(
    services.map((targets, index) => [
      `fault ${index}`,
      { ...fakeFault([]), targets: () => targets.map((service) => ({ service })) },
    ]),
  )
const FAULTS = toFaults(['front', 'cart'], [], ['mail'])

/** When which journey was walked, by a clock that goes only where somebody waits. */
const watch = async (problem: Parameters<typeof waitUntilFelt>[2]) => {
  const { core: fake, log } = createFakeLab()
  const walks: { journey: string; at: number; most: number }[] = []
  let now = 0
  const pass = async (ms: number): Promise<void> => {
    now += ms
  }
  const core: LabCore = {
    ...fake,
    view: VIEW,
    faults: FAULTS,
    news: (ms) => pass(Math.min(ms, 10)),
    time: { ...fake.time, precise: () => now, sleep: pass },
    users: { ...fake.users, walk: (journey, most) => void walks.push({ journey, at: now, most }) },
  }
  const shown = await waitUntilFelt(core, log, problem)
  return { shown, walks, took: now, events: log.events }
}

const SEEDS = Array.from({ length: 400 }, (_, index) => `seed ${index}`)
const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor(share * values.length)]!

describe('a control', () => {
  it('is walked as its seed says, after a while, and for as long', async () => {
    const { quietMs, journeys, walkedMs, everyMs } = drawPretence(VIEW, FAULTS, 'some')
    const { shown, walks, took, events } = await watch({ faults: [], seed: 'some' })
    expect(shown).toBe(false)
    expect(events.map(({ type }) => type)).toEqual(['fault-shown'])
    expect(took).toBeCloseTo(quietMs + walkedMs)
    expect(walks[0]!.at).toBeCloseTo(quietMs)
    expect(new Set(walks.map(({ journey }) => journey))).toEqual(new Set(journeys))
    const orders = walks.length / journeys.length
    expect(orders).toBeGreaterThanOrEqual(1)
    expect(orders).toBeLessThanOrEqual(1 + walkedMs / everyMs)
  })

  it('is walked so many at once as a fault is', async () => {
    const control = await watch({ faults: [], seed: 'some' })
    const fault = await watch({ faults: [toPlanned({ target: { service: 'cart' } })], seed: 'some' })
    expect(new Set(fault.walks.map(({ journey }) => journey))).toEqual(new Set(SUFFERERS.cart))
    expect(new Set(control.walks.map(({ most }) => most))).toEqual(
      new Set(fault.walks.map(({ most }) => most)),
    )
  })

  it('takes as long as faults do, and most of them not much more than two seconds', () => {
    const totals = SEEDS.map((seed) => drawPretence(VIEW, FAULTS, seed)).map(
      ({ quietMs, walkedMs }) => quietMs + walkedMs,
    )
    expect(quantile(totals, 0)).toBeGreaterThan(1000)
    expect(quantile(totals, 0.5)).toBeGreaterThan(2000)
    expect(quantile(totals, 0.5)).toBeLessThan(2700)
    expect(quantile(totals, 0.9)).toBeGreaterThan(4000)
    expect(new Set(totals).size).toBe(SEEDS.length)
  })

  it('has the journeys of something that a fault might have hit, each in its turn', () => {
    const drawn = SEEDS.map((seed) => drawPretence(VIEW, FAULTS, seed).journeys.join(' '))
    expect(new Set(drawn)).toEqual(new Set(['look buy pay send', 'buy pay', 'send']))
    // Two faults fit, and one of them has two targets.
    const ofMail = drawn.filter((journeys) => journeys === 'send').length / SEEDS.length
    expect(ofMail).toBeGreaterThan(0.4)
    expect(ofMail).toBeLessThan(0.6)
  })

  it('has all that users walk where no fault fits', () => {
    expect(drawPretence(VIEW, toFaults([]), 'some').journeys).toEqual(['send', 'rate', 'pay', 'look'])
  })
})

describe('a fault', () => {
  it('is waited for until patience ends, with as many walks as there is room for', async () => {
    const { shown, took, walks } = await watch({
      faults: [toPlanned({ target: { service: 'mail' } })],
      seed: 'some',
    })
    expect({ shown, took }).toEqual({ shown: false, took: 20_000 })
    expect(walks.filter(({ at }) => at < 1000)).toHaveLength(100)
  })
})
