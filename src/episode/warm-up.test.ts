/** How the measure of good times is taken. */
import { expect, it } from 'vitest'
import { createHealthyWalks } from './healthy-walks.ts'
import { createFakeLab, toWalk } from './testing/fake-lab.ts'
import { warmUp } from './warm-up.ts'

const NAMES = ['greet', 'wave', 'leave', 'return']

/** Each look sees one more walk of every journey that was asked for. */
const createLab = () => {
  const { core } = createFakeLab()
  const [greet] = core.view.journeys
  const asked = new Map<string, number>()
  const atOnce: string[][] = []
  let now = 0
  const renewals: number[] = []
  Object.assign(core, {
    view: { ...core.view, journeys: NAMES.map((name) => ({ ...greet, name })) },
    healthy: createHealthyWalks(NAMES),
    time: { ...core.time, precise: () => now },
    async news() {
      now += 100
      atOnce.push([...asked.keys()])
      for (const journey of asked.keys()) {
        const isCold = core.wellSince === undefined
        const walk = toWalk({ journey, intended: now, latencyMs: isCold ? 900 : 10 * asked.size })
        if (isCold) core.walks.push(walk)
        else core.healthy.add(walk)
      }
      asked.clear()
    },
  })
  Object.assign(core.users, { walk: (journey: string, most: number) => void asked.set(journey, most) })
  Object.assign(core.cluster.telemetry!, { renewAlerts: () => renewals.push(now) })
  return { core, atOnce, renewals }
}

it('forgets the walks of cold programs, and then has two journeys walked at a time', async () => {
  const { core, atOnce, renewals } = createLab()
  await warmUp(core)
  expect(core.healthy.toBaseline()).toEqual(
    NAMES.map((journey) => ({ journey, walks: 8, failures: 0, p50: 20, p95: 20 })),
  )
  expect(atOnce.map((journeys) => journeys.length)).toEqual([4, 4, ...Array.from({ length: 16 }, () => 2)])
  expect(renewals).toHaveLength(1)
})

it('says which journey was not walked often enough', async () => {
  const { core } = createLab()
  Object.assign(core.users, { walk() {} })
  await expect(warmUp(core)).rejects.toThrow('The journey greet was walked 0 times in 60 s and not 2 times.')
})
