/** Tests how the baseline of a system is measured. */
import { expect, it } from 'vitest'
import { createFakeLab, toJourneyRun } from '../testing/fake-lab.ts'
import type { Equipment } from './equipment.ts'
import { createJourneyTracker } from './journey-tracker.ts'
import { warmUp } from './warm-up.ts'

const NAMES = ['greet', 'wave', 'leave', 'return']

/** Every poll delivers one more run of each journey that was requested. */
const createLab = () => {
  const { equipment } = createFakeLab()
  const [greet] = equipment.view.journeys
  const requested = new Map<string, number>()
  const journeysByPoll: string[][] = []
  let now = 0
  const renewals: number[] = []
  const journeys = createJourneyTracker(NAMES)
  Object.assign(equipment, {
    view: { ...equipment.view, journeys: NAMES.map((name) => ({ ...greet, name })) },
    journeys,
    time: { ...equipment.time, precise: () => now },
    async nextChange() {
      now += 100
      journeysByPoll.push([...requested.keys()])
      for (const journey of requested.keys()) {
        const isCold = journeysByPoll.length <= 2
        journeys.add(toJourneyRun({ journey, intended: now, latencyMs: isCold ? 900 : 10 * requested.size }))
      }
      requested.clear()
    },
  })
  Object.assign(equipment.users, {
    runJourney: (journey: string, max: number) => void requested.set(journey, max),
  })
  Object.assign(equipment.cluster.telemetry!, { renewAlerts: () => renewals.push(now) })
  return { equipment, journeysByPoll, renewals }
}

it('leaves cold runs out of the baseline, and then runs two journeys at a time', async () => {
  const { equipment, journeysByPoll, renewals } = createLab()
  await warmUp(equipment)
  expect(equipment.journeys.healthy.toBaseline()).toEqual(
    NAMES.map((journey) => ({ journey, runs: 8, failures: 0, p50: 20, p95: 20 })),
  )
  expect(journeysByPoll.map((names) => names.length)).toEqual([4, 4, ...Array.from({ length: 16 }, () => 2)])
  expect(renewals).toHaveLength(1)
})

/** CPU times of a machine that other processes keep busy until the given time. */
const createCpuTimes = (equipment: Equipment, busyUntil: number) => () => {
  const now = equipment.time.precise()
  return { allMs: now, idleMs: Math.max(0, now - busyUntil), clusterMs: 0 }
}

it.each([
  ['again if other processes kept the machine busy', 1000, 32],
  ['once if they kept it busy only for a short time', 900, 16],
  ['twice at most', 99_999, 32],
])('measures the baseline %s', async (_, busyUntil, measuredPolls) => {
  const { equipment, journeysByPoll } = createLab()
  Object.assign(equipment.cluster, { cpuTimes: createCpuTimes(equipment, busyUntil) })
  await warmUp(equipment)
  expect(journeysByPoll).toHaveLength(2 + measuredPolls)
  expect(equipment.journeys.healthy.toBaseline()[0]).toMatchObject({ runs: 8 })
})

it('names the journey that did not run often enough', async () => {
  const { equipment } = createLab()
  Object.assign(equipment.users, { runJourney() {} })
  await expect(warmUp(equipment)).rejects.toThrow('The journey greet completed 0 of 2 runs within 60 s.')
})
