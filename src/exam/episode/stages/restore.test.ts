/** Tests the recovery of faults, the reset, and the wait until users are served well again. */
import { describe, expect, it } from 'vitest'
import type { Fault } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { createSystemReset } from '../laboratory/system-reset.ts'
import { createFakeLab, fakeFault, toJourneyRun, toPlanned } from '../testing/fake-lab.ts'
import { createInjection } from './injection.ts'
import { restore } from './restore.ts'

/** Runs end at once with the result of `resultOf`; every poll takes 200 ms. */
const createLab = (fault: Fault, resultOf: (journey: string, times: number) => object) => {
  const { equipment } = createFakeLab([fault])
  let now = 0
  let requests = 0
  const rates: number[] = []
  const renewals: number[] = []
  const [greet] = equipment.view.journeys
  Object.assign(equipment, {
    view: { ...equipment.view, journeys: [greet, { ...greet, name: 'wave' }] },
    time: { ...equipment.time, precise: () => now },
    nextChange: async () => {
      now += 200
    },
  })
  const { cluster, users, journeys, time, failure } = equipment
  Object.assign(cluster, { reset: async () => {}, api: { create: async () => ({}) } })
  Object.assign(cluster.telemetry!, { renewAlerts: () => renewals.push(now) })
  Object.assign(users, {
    setRate: (factor: number) => rates.push(factor),
    resetUsers() {},
    runJourney(journey: string, max: number) {
      requests += 1
      for (let count = 0; count < max; count += 1)
        journeys.add(toJourneyRun({ journey, ...resultOf(journey, requests) }))
    },
  })
  const resets = createSystemReset({ cluster, namespace: 'little', time, failure, users: () => users })
  for (let count = 0; count < 8; count += 1) journeys.healthy.add(toJourneyRun({ latencyMs: 10 }))
  return { equipment: { ...equipment, resets }, rates, renewals, elapsedMs: () => now }
}

const play = async (equipment: Equipment): Promise<void> => {
  const injection = createInjection(equipment)
  equipment.journeys.collect()
  await injection.start([toPlanned()])
  await restore.run({ equipment, injection, isTrusted: true })
}

/** Whether runs count as healthy again. */
const isHealthy = ({ journeys }: Equipment): boolean => {
  const before = journeys.healthy.count('greet')
  journeys.add(toJourneyRun({ intended: 1000 }))
  return journeys.healthy.count('greet') > before
}

describe('restoring', () => {
  it('recovers faults, sets the usual number of users, and ends when all are served well', async () => {
    const notes: string[] = []
    const { equipment, rates, renewals, elapsedMs } = createLab(fakeFault(notes), () => ({}))
    await play(equipment)
    expect(notes).toEqual(['inject 1', 'recover'])
    expect(rates).toEqual([1])
    expect(elapsedMs()).toBe(200)
    expect(isHealthy(equipment)).toBe(true)
    expect(renewals).toEqual([200])
  })

  it('waits for journeys that do not depend on the fault, and for slow ones', async () => {
    const failing = createLab(fakeFault([]), (journey, times) => ({ ok: journey !== 'wave' || times > 20 }))
    await play(failing.equipment)
    expect(failing.elapsedMs()).toBeGreaterThan(2000)
    const slow = createLab(fakeFault([]), (journey, times) => ({
      latencyMs: journey === 'greet' && times < 20 ? 900 : 10,
    }))
    await play(slow.equipment)
    expect(slow.elapsedMs()).toBeGreaterThan(2000)
  })

  it('blames the harness if a journey does not recover', async () => {
    const { equipment, renewals } = createLab(fakeFault([]), (journey) => ({
      ok: journey !== 'wave',
    }))
    await expect(play(equipment)).rejects.toMatchObject({ code: 'not-ready', blame: 'harness' })
    expect(isHealthy(equipment)).toBe(false)
    expect(renewals).toEqual([])
  })

  it('lets a fault sleep while it recovers', async () => {
    let waitedMs = 0
    const slow: Fault = {
      ...fakeFault([]),
      async recover({ sleep }) {
        const start = performance.now()
        await sleep(40)
        waitedMs = performance.now() - start
      },
    }
    await play(createLab(slow, () => ({})).equipment)
    expect(waitedMs).toBeGreaterThan(30)
  })
})
