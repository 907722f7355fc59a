/** Tests that a control is prepared like a fault: neither the requested runs nor the time reveal which it is. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defined, REPOSITORY } from '#kit'
import type { ApiObject, Fault, Impact, SystemView } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { createFakeLab, fakeFault, toPlanned, toProblem } from '../testing/fake-lab.ts'
import { drawControlTiming } from './draw-control-timing.ts'
import { impact, waitForImpact } from './impact.ts'

const AFFECTED: Readonly<Record<string, readonly string[]>> = {
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
  ...createFakeLab().equipment.view,
  journeys: ['send', 'rate', 'pay', 'look', 'buy'].map((name) => ({ name, weight: 1, steps: [] })),
  impactOf: (service) => toImpact(AFFECTED[service] ?? []),
}

const toFaults = (...services: readonly (readonly string[])[]): ReadonlyMap<string, Fault> =>
  new Map(
    services.map((targets, index) => [
      `fault ${index}`,
      { ...fakeFault([]), targets: () => targets.map((service) => ({ service })) },
    ]),
  )
const FAULTS = toFaults(['front', 'cart'], [], ['mail'])

/** Collects the requested runs. Its clock advances only while the stage waits. */
const createWatchedLab = () => {
  const { equipment: fake, log } = createFakeLab()
  const requests: { journey: string; at: number; max: number }[] = []
  let now = 0
  const advance = async (ms: number): Promise<void> => {
    now += ms
  }
  const equipment: Equipment = {
    ...fake,
    view: VIEW,
    faults: FAULTS,
    nextChange: (ms) => advance(Math.min(ms, 10)),
    time: { ...fake.time, precise: () => now, sleep: advance },
    users: { ...fake.users, runJourney: (journey, max) => void requests.push({ journey, at: now, max }) },
  }
  return { equipment, log, requests, now: () => now }
}

const waitInWatchedLab = async (problem: Parameters<typeof waitForImpact>[2]) => {
  const { equipment, log, requests, now } = createWatchedLab()
  const isAffected = await waitForImpact(equipment, log, problem)
  return { isAffected, requests, tookMs: now(), events: log.events }
}

const SEEDS = Array.from({ length: 400 }, (_, index) => `seed ${index}`)
const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(share * values.length)]!

describe('a control', () => {
  it('runs the journeys that its seed draws, after the drawn delay, for the drawn time', async () => {
    const { quietMs, journeys, waitMs, everyMs } = drawControlTiming(VIEW, FAULTS, 'some')
    const { isAffected, requests, tookMs, events } = await waitInWatchedLab({ faults: [], seed: 'some' })
    expect(isAffected).toBe(false)
    expect(events.map(({ type }) => type)).toEqual(['user-impact-observed'])
    expect(tookMs).toBeCloseTo(quietMs + waitMs)
    expect(requests[0]!.at).toBeCloseTo(quietMs)
    expect(new Set(requests.map(({ journey }) => journey))).toEqual(new Set(journeys))
    const rounds = requests.length / journeys.length
    expect(rounds).toBeGreaterThanOrEqual(1)
    expect(rounds).toBeLessThanOrEqual(1 + waitMs / everyMs)
  })

  it('requests as many runs of a journey at once as a fault does', async () => {
    const control = await waitInWatchedLab({ faults: [], seed: 'some' })
    const fault = await waitInWatchedLab({
      faults: [toPlanned({ target: { service: 'cart' } })],
      seed: 'some',
    })
    expect(new Set(fault.requests.map(({ journey }) => journey))).toEqual(new Set(AFFECTED.cart))
    expect(new Set(control.requests.map(({ max }) => max))).toEqual(
      new Set(fault.requests.map(({ max }) => max)),
    )
  })

  it('takes as long as faults do, with a median slightly above two seconds', () => {
    const totals = SEEDS.map((seed) => drawControlTiming(VIEW, FAULTS, seed)).map(
      ({ quietMs, waitMs }) => quietMs + waitMs,
    )
    expect(quantile(totals, 0)).toBeGreaterThan(1000)
    expect(quantile(totals, 0.5)).toBeGreaterThan(2000)
    expect(quantile(totals, 0.5)).toBeLessThan(2700)
    expect(quantile(totals, 0.9)).toBeGreaterThan(4000)
    expect(new Set(totals).size).toBe(SEEDS.length)
  })

  it('takes about as long as the faults of the last validation of smoke', () => {
    const page = readFileSync(join(REPOSITORY, 'docs', 'validity', 'smoke.md'), 'utf8')
    const byFault = page.slice(page.indexOf('## By fault'), page.indexOf('## Exceptions'))
    const measured = [
      ...byFault.matchAll(/^\| (?!fault|---|none).*\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm),
    ]
      .map((row) => row.slice(1).map((seconds) => 1000 * Number(seconds)))
      .map(([, solve, verify, total]) => total! - solve! - verify!)
    expect(measured.length).toBeGreaterThan(40)
    const drawn = SEEDS.map((seed) => drawControlTiming(VIEW, FAULTS, seed)).map(
      ({ quietMs, waitMs }) => quietMs + waitMs,
    )
    for (const share of [0.1, 0.25, 0.5, 0.75]) {
      const ratio = quantile(drawn, share) / quantile(measured, share)
      expect(ratio, `at ${share}`).toBeGreaterThan(0.5)
      expect(ratio, `at ${share}`).toBeLessThan(2)
    }
  })

  it('takes its timing from the secret of the episode, not from the public seed of its problem', async () => {
    const requestTimes = async (seed: string, secret?: string): Promise<number[]> => {
      const { equipment, log, requests } = createWatchedLab()
      const injection = { startSchedules() {} } as never
      const problem = toProblem([], { seed })
      await impact.run({ equipment, problem, log, injection, waitsForImpact: true, ...defined({ secret }) })
      return requests.map(({ at }) => at)
    }
    expect(await requestTimes('public', 'one')).toEqual(await requestTimes('other', 'one'))
    expect(await requestTimes('public', 'one')).not.toEqual(await requestTimes('public', 'two'))
    expect(await requestTimes('public')).not.toEqual(await requestTimes('other'))
  })

  it('runs the journeys of a target that a fault could have hit', () => {
    const drawn = SEEDS.map((seed) => drawControlTiming(VIEW, FAULTS, seed).journeys.join(' '))
    expect(new Set(drawn)).toEqual(new Set(['look buy pay send', 'buy pay', 'send']))
    // Two faults fit, and one of them has two targets.
    const mailShare = drawn.filter((journeys) => journeys === 'send').length / SEEDS.length
    expect(mailShare).toBeGreaterThan(0.4)
    expect(mailShare).toBeLessThan(0.6)
  })

  it('runs all journeys if no fault fits', () => {
    expect(drawControlTiming(VIEW, toFaults([]), 'some').journeys).toEqual(['send', 'rate', 'pay', 'look'])
  })
})

describe('a fault', () => {
  it('clears the alerts of its rollout once its pods are ready, and then restarts the timeout', async () => {
    const fault = { ...fakeFault([]), impactOnceReady: () => 'failures' as const }
    const { equipment: fake, log } = createFakeLab([fault])
    const deployment = (readyReplicas: number): ApiObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'greeter', namespace: 'little' },
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas, updatedReplicas: 1 },
    })
    log.add({ type: 'objects-listed', objects: [deployment(1)] })
    log.add({ type: 'object-changed', change: 'modified', object: deployment(0) })
    log.add({ type: 'fault-injected', index: 0, ...toPlanned(), state: {} })
    const renewedAt: number[] = []
    let now = 0
    const nextChange = async (): Promise<void> => {
      now += 100
      if (now === 8000) log.add({ type: 'object-changed', change: 'modified', object: deployment(1) })
    }
    const telemetry = { renewAlerts: () => void renewedAt.push(now) }
    const equipment = {
      ...fake,
      view: VIEW,
      cluster: { ...fake.cluster, telemetry },
      nextChange,
      time: { ...fake.time, precise: () => now },
    } as unknown as Equipment
    await waitForImpact(equipment, { ...log, at: () => now }, { faults: [toPlanned()], seed: 'some' })
    expect(renewedAt).toHaveLength(1)
    expect(renewedAt[0]).toBeGreaterThanOrEqual(8000)
    expect(now).toBe(renewedAt[0]! + 20_000)
    expect(log.events.at(-1)).toMatchObject({ type: 'user-impact-observed', affected: false })
  })

  it('that affects no users is waited for until the timeout, with requests for runs at every poll', async () => {
    const { isAffected, tookMs, requests } = await waitInWatchedLab({
      faults: [toPlanned({ target: { service: 'mail' } })],
      seed: 'some',
    })
    expect({ isAffected, tookMs }).toEqual({ isAffected: false, tookMs: 20_000 })
    expect(requests.filter(({ at }) => at < 1000)).toHaveLength(100)
  })
})
