/** Tests the recovery of faults, the reset, and the wait until users are served well again. */
import { describe, expect, it } from 'vitest'
import type { Fault } from '#spec'
import type { Equipment } from '../laboratory/equipment.ts'
import { createSystemReset } from '../laboratory/system-reset.ts'
import { createFakeLab, fakeFault, toJourneyRun, toPlanned } from '../testing/fake-lab.ts'
import { createInjection } from './injection.ts'
import { restore } from './restore.ts'

/** Each requested run ends at once with the result of `resultOf`; every poll takes 200 ms. */
const createLab = (fault: Fault, resultOf: (journey: string, request: number) => object) => {
  const { equipment } = createFakeLab([fault])
  let now = 0
  let requests = 0
  const rates: number[] = []
  const alertRenewals: number[] = []
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
  Object.assign(cluster.telemetry!, { renewAlerts: () => alertRenewals.push(now) })
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
  return { equipment: { ...equipment, resets }, rates, alertRenewals, elapsedMs: () => now }
}

const injectAndRestore = async (equipment: Equipment): Promise<void> => {
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
  it('recovers faults, restores the number of users, and ends when all are served well', async () => {
    const notes: string[] = []
    const { equipment, rates, alertRenewals, elapsedMs } = createLab(fakeFault(notes), () => ({}))
    await injectAndRestore(equipment)
    expect(notes).toEqual(['inject 1', 'recover'])
    expect(rates).toEqual([1])
    expect(elapsedMs()).toBe(200)
    expect(isHealthy(equipment)).toBe(true)
    expect(alertRenewals).toEqual([200])
  })

  it('waits for journeys that do not depend on the fault, and for slow ones', async () => {
    const failing = createLab(fakeFault([]), (journey, request) => ({
      ok: journey !== 'wave' || request > 20,
    }))
    await injectAndRestore(failing.equipment)
    expect(failing.elapsedMs()).toBeGreaterThan(2000)
    const slow = createLab(fakeFault([]), (journey, request) => ({
      latencyMs: journey === 'greet' && request < 20 ? 900 : 10,
    }))
    await injectAndRestore(slow.equipment)
    expect(slow.elapsedMs()).toBeGreaterThan(2000)
  })

  it('blames the harness if a journey does not recover', async () => {
    const { equipment, alertRenewals } = createLab(fakeFault([]), (journey) => ({
      ok: journey !== 'wave',
    }))
    await expect(injectAndRestore(equipment)).rejects.toMatchObject({ code: 'not-ready', blame: 'harness' })
    expect(isHealthy(equipment)).toBe(false)
    expect(alertRenewals).toEqual([])
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
    await injectAndRestore(createLab(slow, () => ({})).equipment)
    expect(waitedMs).toBeGreaterThan(30)
  })
})
