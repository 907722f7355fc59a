/** What users feel, and how rarely a busy machine is taken for a fault. */
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../kit/index.ts'
import type { JourneyBaseline, WalkNote } from '../spec/index.ts'
import { createEpisodeView } from './create-episode-view.ts'
import { feltByUsers } from './felt-by-users.ts'
import { deployment, podFault, SHOP, SICK_POD } from './testing/record-builder.ts'

interface Users {
  readonly random: Random
  /** Walks a second. */
  readonly rate: number
  /** Milliseconds while all is well. */
  readonly usual: number
  /** What becomes of a walk that ends then. */
  readonly live: (latency: number, at: number) => { latency: number; failed?: boolean }
}

/** Most are near the median, some far above it. */
const drawLatency = (random: Random, usual: number): number => {
  const spread = Math.exp(0.35 * (random.next() + random.next() + random.next() - 1.5) * 2)
  return usual * spread * (random.next() < 0.04 ? 2 + 8 * random.next() : 1)
}

const toBaseline = (random: Random, usual: number): JourneyBaseline => {
  const latencies = Array.from({ length: 40 }, () => drawLatency(random, usual)).sort((a, b) => a - b)
  return { journey: 'buy', walks: 40, failures: 0, p50: latencies[20]!, p95: latencies[38]! }
}

/** Asks four times a second for so long; gives when it was felt first. */
const feltAfter = ({ random, rate, usual, live }: Users, ms: number): number | undefined => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
  view.add({ at: 0, type: 'baseline-taken', journeys: [toBaseline(random, usual)], alerts: [] })
  view.add({ at: 1, type: 'fault-injected', index: 0, ...SICK_POD, state: {} })
  let next = 0
  for (let at = 250; at <= ms; at += 250) {
    const walks: WalkNote[] = []
    for (; next < at; next += (-Math.log(1 - random.next()) * 1000) / rate) {
      const { latency, failed } = live(drawLatency(random, usual), next)
      walks.push(failed === true ? ['buy', next, latency, 'pay'] : ['buy', next, latency])
    }
    view.add({ at, type: 'walks', walks })
    if (feltByUsers(view).shown) return at
  }
  return undefined
}

/** Stalls of a busy machine: up to 0.7 s, every few seconds, in which all is up to six times as slow. */
const createBusyMachine = (random: Random): Users['live'] => {
  let [from, until] = [0, 0]
  return (latency, at) => {
    if (at > until + 2000 * random.next() + 1500) [from, until] = [at, at + 700 * random.next()]
    return { latency: at >= from && at <= until ? latency * (2 + 4 * random.next()) + 20 : latency }
  }
}

const share = (trials: number, isFelt: (random: Random, trial: number) => boolean): number =>
  Array.from({ length: trials }, (_, trial) => isFelt(createRandom(`trial ${trial}`), trial)).filter(Boolean)
    .length / trials

const RATES = [3, 8, 20]

describe('feltByUsers', () => {
  it('takes a busy machine for a fault in less than one of a thousand episodes', () => {
    const alarms = share(1500, (random, trial) => {
      const live = createBusyMachine(random.fork('machine'))
      const usual = [5, 30, 120][trial % 3]!
      return feltAfter({ random, rate: RATES[((trial / 3) % 3) | 0]!, usual, live }, 5000) !== undefined
    })
    expect(alarms).toBeLessThan(0.001)
  })

  it('takes a rare failure for none', () => {
    const live: Users['live'] = (latency, at) => ({ latency, failed: at > 1000 && at < 1060 })
    expect(
      share(300, (random) => feltAfter({ random, rate: 20, usual: 20, live }, 5000) !== undefined),
    ).toBeLessThan(0.01)
  })

  it.each([
    ['four times as slow', (latency: number) => ({ latency: 4 * latency + 30 })],
    ['a second late', (latency: number) => ({ latency: latency + 1000 })],
    ['failing', (latency: number) => ({ latency, failed: true })],
  ])('feels what is %s within four seconds', (_, live) => {
    for (const rate of [5, 20])
      expect(
        share(200, (random) => (feltAfter({ random, rate, usual: 20, live }, 6000) ?? 9999) <= 4000),
      ).toBeGreaterThan(0.97)
  })

  it('feels what half of the users feel', () => {
    const half = share(200, (random) => {
      const chance = random.fork('half')
      const live: Users['live'] = (latency) => ({ latency, failed: chance.next() < 0.5 })
      return feltAfter({ random, rate: 8, usual: 20, live }, 6000) !== undefined
    })
    expect(half).toBeGreaterThan(0.99)
  })

  it('feels what keeps every other user waiting for seconds, and lets the others go', () => {
    const half = share(200, (random) => {
      const chance = random.fork('half')
      const live: Users['live'] = (latency) => ({ latency: latency + (chance.next() < 0.5 ? 7000 : 0) })
      return feltAfter({ random, rate: 1, usual: 600, live }, 20_000) !== undefined
    })
    expect(half).toBeGreaterThan(0.9)
  })

  describe('after a rollout', () => {
    /** The new pods of the cart serve from 500 ms on, if at all. */
    const rollOut = (serves: boolean, failsUntil: number): number | undefined => {
      const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
      const journeys = [{ journey: 'buy', walks: 40, failures: 0, p50: 20, p95: 30 }]
      const underWay = { ...deployment('cart'), status: { replicas: 1, observedGeneration: 1 } }
      view.add({ at: 0, type: 'baseline-taken', journeys, alerts: [] })
      view.add({ at: 0, type: 'objects-listed', objects: [deployment('cart')] })
      view.add({ at: 50, type: 'object-changed', change: 'modified', object: underWay })
      view.add({ at: 100, type: 'fault-injected', index: 0, ...SICK_POD, state: {} })
      for (let at = 150; at <= 5000; at += 50) {
        if (serves && at === 500)
          view.add({ at, type: 'object-changed', change: 'modified', object: deployment('cart') })
        const walk: WalkNote = at < failsUntil ? ['buy', at, 20, 'pay'] : ['buy', at, 20]
        view.add({ at, type: 'walks', walks: [walk] })
        if (feltByUsers(view).shown) return at
      }
      return undefined
    }

    it('takes failures of the change itself for no fault', () => {
      expect(rollOut(true, 490)).toBeUndefined()
      expect(rollOut(true, 1400)).toBeUndefined()
    })

    it('feels what goes on when the new pods serve, or when they never do', () => {
      expect(rollOut(true, 9999)).toBe(1550)
      expect(rollOut(false, 9999)).toBe(1150)
    })
  })

  it('feels who waits in vain before they give up', () => {
    const view = createEpisodeView(SHOP, new Map())
    const journeys = [{ journey: 'buy', walks: 40, failures: 0, p50: 20, p95: 30 }]
    view.add({ at: 0, type: 'baseline-taken', journeys, alerts: [] })
    const wait = (at: number) => {
      view.add({
        at,
        type: 'walks',
        walks: [],
        pending: [100, 150, 200].map((began) => ['buy', began] as const),
      })
      return feltByUsers(view)
    }
    expect(wait(1000).shown).toBe(false)
    expect(wait(2500)).toMatchObject({ shown: true, journeys: ['buy'] })
  })
})
