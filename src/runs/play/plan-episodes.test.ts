/** Tests of the order in which episodes are played. */
import { expect, it } from 'vitest'
import type { PlannedFault } from '../../spec/index.ts'
import { madeManifest, madeProblem } from '../testing/made-run.ts'
import { planEpisodes } from './plan-episodes.ts'

const fault = (shape: PlannedFault['shape'], afterMs?: number): PlannedFault => ({
  fault: 'x',
  target: { service: 's' },
  params: {},
  shape,
  ...(afterMs === undefined ? {} : { afterMs }),
})

it('keeps systems together, epochs whole, and begins with what takes long', () => {
  const problems = [
    madeProblem('quick', { faults: [fault({ kind: 'sudden' })] }),
    madeProblem('elsewhere', { system: 'cinema' }),
    madeProblem('slow', { faults: [fault({ kind: 'gradual', overMs: 9000 })] }),
    madeProblem('late', { faults: [fault({ kind: 'sudden' }), fault({ kind: 'sudden' }, 5000)] }),
  ]
  const plan = planEpisodes(madeManifest({ problems, epochs: 2, suiteOf: { slow: 'hard' } }))
  expect(plan.map(({ episode }) => episode)).toEqual([
    ...['elsewhere.1.1', 'elsewhere.1.2'],
    ...['slow.1.1', 'late.1.1', 'quick.1.1', 'slow.1.2', 'late.1.2', 'quick.1.2'],
  ])
  expect(plan.find(({ problem }) => problem.id === 'slow')).toMatchObject({ suite: 'hard', epoch: 1 })
})
