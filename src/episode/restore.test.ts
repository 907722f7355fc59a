/** What is left of faults, and whether users are well again. */
import { describe, expect, it } from 'vitest'
import type { Fault } from '../spec/index.ts'
import { createInjection } from './inject.ts'
import type { LabCore } from './lab-core.ts'
import { restore } from './restore.ts'
import { createFakeLab, fakeFault, toPlanned, toWalk } from './testing/fake-lab.ts'

/** Walks come at once, each as `live` says; 200 ms pass between two looks. */
const createLab = (fault: Fault, live: (journey: string, times: number) => object) => {
  const { core } = createFakeLab([fault])
  let now = 0
  let walked = 0
  const rates: number[] = []
  const renewed: number[] = []
  const [greet] = core.view.journeys
  Object.assign(core, {
    view: { ...core.view, journeys: [greet, { ...greet, name: 'wave' }] },
    time: { ...core.time, precise: () => now },
    news: async () => {
      now += 200
    },
  })
  Object.assign(core.cluster, { reset: async () => {}, api: { create: async () => ({}) } })
  Object.assign(core.cluster.telemetry!, { renewAlerts: () => renewed.push(now) })
  Object.assign(core.users, {
    setRate: (factor: number) => rates.push(factor),
    renewUsers() {},
    walk(journey: string, most: number) {
      walked += 1
      for (let count = 0; count < most; count += 1)
        core.walks.push(toWalk({ journey, ...live(journey, walked) }))
    },
  })
  for (let count = 0; count < 8; count += 1) core.healthy.add(toWalk({ latencyMs: 10 }))
  return { core: core as LabCore, rates, renewed, passed: () => now }
}

const play = async (core: LabCore): Promise<void> => {
  const injection = createInjection(core)
  await injection.begin([toPlanned()])
  await restore(core, injection)
}

describe('restoring', () => {
  it('takes faults back, lets as many users come as usual, and ends when all are well', async () => {
    const notes: string[] = []
    const { core, rates, renewed, passed } = createLab(fakeFault(notes), () => ({}))
    await play(core)
    expect(notes).toEqual(['inject 1', 'recover'])
    expect(rates).toEqual([1])
    expect(passed()).toBe(200)
    expect(core.wellSince).toBe(200)
    expect(renewed).toEqual([200])
  })

  it('waits for journeys that have nothing to do with the fault, and for those that are slow', async () => {
    const failing = createLab(fakeFault([]), (journey, times) => ({ ok: journey !== 'wave' || times > 20 }))
    await play(failing.core)
    expect(failing.passed()).toBeGreaterThan(2000)
    const slow = createLab(fakeFault([]), (journey, times) => ({
      latencyMs: journey === 'greet' && times < 20 ? 900 : 10,
    }))
    await play(slow.core)
    expect(slow.passed()).toBeGreaterThan(2000)
  })

  it('is the failure of the harness where somebody stays unwell', async () => {
    const { core, renewed } = createLab(fakeFault([]), (journey) => ({ ok: journey !== 'wave' }))
    await expect(play(core)).rejects.toMatchObject({ code: 'not-ready', blame: 'harness' })
    expect(core.wellSince).toBeUndefined()
    expect(renewed).toEqual([])
  })

  it('lets faults wait while they are taken back', async () => {
    let waited = 0
    const patient: Fault = {
      ...fakeFault([]),
      async recover({ sleep }) {
        const begun = performance.now()
        await sleep(40)
        waited = performance.now() - begun
      },
    }
    await play(createLab(patient, () => ({})).core)
    expect(waited).toBeGreaterThan(30)
  })
})
