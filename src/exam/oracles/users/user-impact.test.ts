/** Tests that user impact is detected, and that a busy machine is rarely mistaken for a fault. */
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '#kit'
import type { ImpactKind, JourneyBaseline, JourneyRunNote } from '#spec'
import { deployment, POD_FAULT, podFault, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'
import { findUserImpact } from './user-impact.ts'

interface Users {
  readonly random: Random
  /** Runs per second. */
  readonly rate: number
  /** The median latency of the baseline. */
  readonly medianMs: number
  /** The outcome of a run that ends at the given time. */
  readonly toOutcome: (latency: number, at: number) => { latency: number; failed?: boolean }
}

/** A skewed distribution: most values are near the median, some far above it. */
const drawLatency = (random: Random, medianMs: number): number => {
  const spread = Math.exp(0.35 * (random.next() + random.next() + random.next() - 1.5) * 2)
  return medianMs * spread * (random.next() < 0.04 ? 2 + 8 * random.next() : 1)
}

const toBaseline = (random: Random, medianMs: number): JourneyBaseline => {
  const latencies = Array.from({ length: 40 }, () => drawLatency(random, medianMs)).sort((a, b) => a - b)
  return { journey: 'buy', runs: 40, failures: 0, p50: latencies[20]!, p95: latencies[38]! }
}

/** Checks for user impact four times a second; returns when it was first found. */
const impactAfter = ({ random, rate, medianMs, toOutcome }: Users, ms: number): number | undefined => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
  view.add({ at: 0, type: 'baseline-taken', journeys: [toBaseline(random, medianMs)], alerts: [] })
  view.add({ at: 1, type: 'fault-injected', index: 0, ...POD_FAULT, state: {} })
  let next = 0
  for (let at = 250; at <= ms; at += 250) {
    const runs: JourneyRunNote[] = []
    for (; next < at; next += (-Math.log(1 - random.next()) * 1000) / rate) {
      const { latency, failed } = toOutcome(drawLatency(random, medianMs), next)
      runs.push(failed === true ? ['buy', next, latency, 'pay'] : ['buy', next, latency])
    }
    view.add({ at, type: 'journeys-run', runs })
    if (findUserImpact(view).affected) return at
  }
  return undefined
}

/** Stalls of a busy machine: up to 0.7 s every few seconds, with all requests up to six times as slow. */
const createBusyMachine = (random: Random): Users['toOutcome'] => {
  let [from, until] = [0, 0]
  return (latency, at) => {
    if (at > until + 2000 * random.next() + 1500) [from, until] = [at, at + 700 * random.next()]
    return { latency: at >= from && at <= until ? latency * (2 + 4 * random.next()) + 20 : latency }
  }
}

const share = (trials: number, isAffected: (random: Random, trial: number) => boolean): number =>
  Array.from({ length: trials }, (_, trial) => isAffected(createRandom(`trial ${trial}`), trial)).filter(
    Boolean,
  ).length / trials

const RATES = [3, 8, 20]

describe('findUserImpact', () => {
  it('mistakes a busy machine for a fault in less than one of 1000 episodes', () => {
    const alarms = share(1500, (random, trial) => {
      const toOutcome = createBusyMachine(random.fork('machine'))
      const medianMs = [5, 30, 120][trial % 3]!
      return (
        impactAfter({ random, rate: RATES[((trial / 3) % 3) | 0]!, medianMs, toOutcome }, 5000) !== undefined
      )
    })
    expect(alarms).toBeLessThan(0.001)
  })

  it('ignores rare failures', () => {
    const toOutcome: Users['toOutcome'] = (latency, at) => ({ latency, failed: at > 1000 && at < 1060 })
    expect(
      share(300, (random) => impactAfter({ random, rate: 20, medianMs: 20, toOutcome }, 5000) !== undefined),
    ).toBeLessThan(0.01)
  })

  it.each([
    ['four times as slow', (latency: number) => ({ latency: 4 * latency + 30 })],
    ['a second late', (latency: number) => ({ latency: latency + 1000 })],
    ['failing', (latency: number) => ({ latency, failed: true })],
  ])('finds journeys that are %s within four seconds', (_, toOutcome) => {
    for (const rate of [5, 20])
      expect(
        share(
          200,
          (random) => (impactAfter({ random, rate, medianMs: 20, toOutcome }, 6000) ?? 9999) <= 4000,
        ),
      ).toBeGreaterThan(0.97)
  })

  it('finds failures of half of the users', () => {
    const detectedShare = share(200, (random) => {
      const chance = random.fork('half')
      const toOutcome: Users['toOutcome'] = (latency) => ({ latency, failed: chance.next() < 0.5 })
      return impactAfter({ random, rate: 8, medianMs: 20, toOutcome }, 6000) !== undefined
    })
    expect(detectedShare).toBeGreaterThan(0.99)
  })

  it('finds delays of seconds that affect every other user', () => {
    const detectedShare = share(200, (random) => {
      const chance = random.fork('half')
      const toOutcome: Users['toOutcome'] = (latency) => ({
        latency: latency + (chance.next() < 0.5 ? 7000 : 0),
      })
      return impactAfter({ random, rate: 1, medianMs: 600, toOutcome }, 20_000) !== undefined
    })
    expect(detectedShare).toBeGreaterThan(0.9)
  })

  it.each([
    ['finds users of a container that is stopped for 60 of every 100 ms', 60, true],
    ['ignores garbage collections of 12 ms', 12, false],
  ])('%s, although most runs are fast', (_, stoppedMs, expected) => {
    expect(
      share(50, (random) => {
        const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
        const journeys = [{ journey: 'buy', runs: 40, failures: 0, p50: 1.8, p95: 4.6 }]
        view.add({ at: 0, type: 'baseline-taken', journeys, alerts: [] })
        view.add({ at: 1, type: 'fault-injected', index: 0, ...POD_FAULT, state: {} })
        const latencies: number[] = []
        let at = 2
        while (at < 3600) {
          const [from, work] = [at, 1 + 3 * random.next()]
          const sinceStop = at % 100
          at += sinceStop < stoppedMs ? stoppedMs - sinceStop + work : work
          latencies.push(at - from)
          view.add({ at, type: 'journeys-run', runs: [['buy', at, at - from]] })
          at += 0.2
        }
        expect(latencies.filter((latency) => latency < 10).length).toBeGreaterThan(0.8 * latencies.length)
        return findUserImpact(view).affected
      }),
    ).toBe(expected ? 1 : 0)
  })

  describe('after a rollout', () => {
    /** Returns when impact was found. The new pods of the cart are ready after 500 ms, or never. */
    const findImpactAfterRollout = (
      becomesReady: boolean,
      failsUntil: number,
      fault = podFault(),
    ): number | undefined => {
      const view = createEpisodeView(SHOP, new Map([['sick-pod', fault]]))
      const journeys = [{ journey: 'buy', runs: 40, failures: 0, p50: 20, p95: 30 }]
      const rollingOut = { ...deployment('cart'), status: { replicas: 1, observedGeneration: 1 } }
      view.add({ at: 0, type: 'baseline-taken', journeys, alerts: [] })
      view.add({ at: 0, type: 'objects-listed', objects: [deployment('cart')] })
      view.add({ at: 50, type: 'object-changed', change: 'modified', object: rollingOut })
      view.add({ at: 100, type: 'fault-injected', index: 0, ...POD_FAULT, state: {} })
      for (let at = 150; at <= 15_000; at += 50) {
        if (becomesReady && at === 500)
          view.add({ at, type: 'object-changed', change: 'modified', object: deployment('cart') })
        const run: JourneyRunNote = at < failsUntil ? ['buy', at, 20, 'pay'] : ['buy', at, 20]
        view.add({ at, type: 'journeys-run', runs: [run] })
        if (findUserImpact(view).affected) return at
      }
      return undefined
    }

    it('ignores failures that the rollout itself causes', () => {
      expect(findImpactAfterRollout(true, 490)).toBeUndefined()
      expect(findImpactAfterRollout(true, 1400)).toBeUndefined()
    })

    it('ignores failures for as long as clients may take to reconnect', () => {
      expect(findImpactAfterRollout(true, 5400)).toBeUndefined()
    })

    it('finds failures that continue after clients have reconnected', () => {
      expect(findImpactAfterRollout(true, 99_999)).toBe(6550)
    })

    it('finds failures of pods that are unready for longer than a start takes', () => {
      expect(findImpactAfterRollout(false, 99_999)).toBe(13_150)
      expect(findImpactAfterRollout(false, 12_000)).toBeUndefined()
    })

    it('finds failures at once if the fault keeps the new pods unready', () => {
      const fault = podFault({ impactOnceReady: () => 'never-ready' })
      expect(findImpactAfterRollout(false, 99_999, fault)).toBe(1150)
    })
  })

  describe('for a fault whose pods become ready', () => {
    interface Rollout {
      readonly kind: ImpactKind
      /** When the new pods are ready; the injection is complete at 100 ms. */
      readonly readyAt: number
      /** Runs that end before this time fail at once. */
      readonly failsUntil: number
      /** The latency of later runs. */
      readonly latencyMs: number
      /** When the pods are unready again. */
      readonly unreadyAt?: number
    }

    const findImpactAfterRollout = ({ kind, readyAt, failsUntil, latencyMs, unreadyAt }: Rollout) => {
      const fault = podFault({ impactOnceReady: () => kind })
      const view = createEpisodeView(SHOP, new Map([['sick-pod', fault]]))
      const journeys = [{ journey: 'buy', runs: 40, failures: 0, p50: 20, p95: 30 }]
      const starting = { ...deployment('cart'), status: { replicas: 1, observedGeneration: 1 } }
      view.add({ at: 0, type: 'baseline-taken', journeys, alerts: [] })
      view.add({ at: 0, type: 'objects-listed', objects: [deployment('cart')] })
      view.add({ at: 50, type: 'object-changed', change: 'modified', object: starting })
      view.add({ at: 100, type: 'fault-injected', index: 0, ...POD_FAULT, state: {} })
      for (let at = 150; at <= 15_000; at += 50) {
        const object = at === readyAt ? deployment('cart') : at === unreadyAt ? starting : undefined
        if (object !== undefined) view.add({ at, type: 'object-changed', change: 'modified', object })
        const run: JourneyRunNote = at < failsUntil ? ['buy', at, 5, 'pay'] : ['buy', at, latencyMs]
        view.add({ at, type: 'journeys-run', runs: [run] })
        const impact = findUserImpact(view)
        if (impact.affected) return { at, ...impact }
      }
      return undefined
    }

    it('starts after failed runs that had begun before the pods were ready, however long they took', () => {
      const view = createEpisodeView(
        SHOP,
        new Map([['sick-pod', podFault({ impactOnceReady: () => 'slowness' })]]),
      )
      const journeys = [{ journey: 'buy', runs: 40, failures: 0, p50: 20, p95: 30 }]
      const starting = { ...deployment('cart'), status: { replicas: 1, observedGeneration: 1 } }
      view.add({ at: 0, type: 'baseline-taken', journeys, alerts: [] })
      view.add({ at: 0, type: 'objects-listed', objects: [deployment('cart')] })
      view.add({ at: 50, type: 'object-changed', change: 'modified', object: starting })
      view.add({ at: 100, type: 'fault-injected', index: 0, ...POD_FAULT, state: {} })
      view.add({ at: 5000, type: 'object-changed', change: 'modified', object: deployment('cart') })
      view.add({ at: 5300, type: 'journeys-run', runs: [['buy', 5300, 400, 'pay']] })
      expect(findUserImpact(view).since).toBe(5300)
      view.add({ at: 5900, type: 'journeys-run', runs: [['buy', 5900, 400, 'pay']] })
      expect(findUserImpact(view).since).toBe(5300)
    })

    it('ignores five seconds of failures while the pods start', () => {
      for (const kind of ['failures', 'slowness', 'either'] as const)
        expect(
          findImpactAfterRollout({ kind, readyAt: 5000, failsUntil: 5000, latencyMs: 20 }),
        ).toBeUndefined()
    })

    it('finds slow runs that started after the pods were ready, and returns that time', () => {
      const found = findImpactAfterRollout({
        kind: 'slowness',
        readyAt: 5000,
        failsUntil: 5000,
        latencyMs: 300,
      })
      expect(found).toMatchObject({ since: 5000, journeys: ['buy'] })
      expect(found!.evidence).toContain('0 of')
      expect(found!.at).toBeGreaterThan(6000)
      expect(found!.at).toBeLessThan(7000)
    })

    it('counts runs from the time when the clients of the pods have reconnected', () => {
      const found = findImpactAfterRollout({
        kind: 'slowness',
        readyAt: 5000,
        failsUntil: 6500,
        latencyMs: 300,
      })
      expect(found!.since).toBe(6450)
      expect(found!.evidence).toContain('0 of')
    })

    it('does not mistake quick failures for slowness, or slowness for failures', () => {
      const failing = { readyAt: 5000, failsUntil: 99_999, latencyMs: 20 }
      expect(findImpactAfterRollout({ kind: 'slowness', ...failing })).toBeUndefined()
      expect(findImpactAfterRollout({ kind: 'failures', ...failing })).toMatchObject({ since: 10_000 })
      const slow = { readyAt: 5000, failsUntil: 0, latencyMs: 300 }
      expect(findImpactAfterRollout({ kind: 'failures', ...slow })).toBeUndefined()
      expect(findImpactAfterRollout({ kind: 'either', ...slow })).toMatchObject({ since: 5000 })
    })

    it('counts runs from the time when the pods were first ready', () => {
      const found = findImpactAfterRollout({
        kind: 'failures',
        readyAt: 1000,
        unreadyAt: 1500,
        failsUntil: 99_999,
        latencyMs: 20,
      })
      expect(found).toMatchObject({ since: 6000 })
    })

    it('finds no impact while the pods are not ready', () => {
      expect(
        findImpactAfterRollout({ kind: 'failures', readyAt: 99_999, failsUntil: 99_999, latencyMs: 20 }),
      ).toBeUndefined()
    })
  })

  it('finds users who have waited unacceptably long, before their requests time out', () => {
    const view = createEpisodeView(SHOP, new Map())
    const journeys = [{ journey: 'buy', runs: 40, failures: 0, p50: 20, p95: 30 }]
    view.add({ at: 0, type: 'baseline-taken', journeys, alerts: [] })
    const observeWaiting = (at: number) => {
      view.add({
        at,
        type: 'journeys-run',
        runs: [],
        pending: [100, 150, 200].map((startedAt) => ['buy', startedAt] as const),
      })
      return findUserImpact(view)
    }
    expect(observeWaiting(1000).affected).toBe(false)
    expect(observeWaiting(2500)).toMatchObject({ affected: true, journeys: ['buy'] })
  })
})
