/** Tests of the times that the faults of a problem take. */
import { expect, it } from 'vitest'
import { maxFaultTimeOf, minEpisodeTimeOf, scheduleTimeOf } from './fault-timing.ts'
import type { FaultShape, PlannedFault } from './index.ts'

const plannedFault = (shape: FaultShape, afterMs?: number): PlannedFault => ({
  fault: 'x',
  target: { service: 's' },
  params: {},
  shape,
  ...(afterMs === undefined ? {} : { afterMs }),
})

const FAULTS = [
  plannedFault({ kind: 'sudden' }, 100),
  plannedFault({ kind: 'gradual', overMs: 4000 }),
  plannedFault({ kind: 'intermittent', onMs: 300, offMs: 200 }),
  plannedFault({ kind: 'transient', forMs: 700 }, 50),
]

it('returns the longest schedule, not counting gradual growth and delays', () => {
  expect(scheduleTimeOf({ faults: FAULTS })).toBe(700)
  expect(scheduleTimeOf({ faults: FAULTS.slice(0, 2) })).toBe(0)
  expect(scheduleTimeOf({ faults: [] })).toBe(0)
})

it('returns the longest fault as the minimum duration of an episode', () => {
  expect(minEpisodeTimeOf({ faults: FAULTS })).toBe(4000)
  expect(minEpisodeTimeOf({ faults: [] })).toBe(0)
})

it('returns the sum of all faults as the maximum time of the preparation', () => {
  expect(maxFaultTimeOf({ faults: FAULTS })).toBe(100 + 4000 + 500 + 750)
})
