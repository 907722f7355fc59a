/** Tests incidents whose system cannot be made ready for the problem. */
import { expect, it } from 'vitest'
import { prepareIncident } from './incident.ts'
import { idleSolver } from './solvers/do-nothing.ts'
import { createFakeLab, toProblem } from './testing/fake-lab.ts'

it('records why the load could not be changed, and gives a void verdict', async () => {
  const { equipment } = createFakeLab()
  const problem = toProblem([], { load: { loop: 'open', arrivals: { kind: 'poisson', rate: 2 } } })
  const load = equipment.system.workload!.load
  const change = async () => {
    throw new Error('the users are lost')
  }
  Object.assign(equipment.users, { load, change })
  const incident = await prepareIncident(equipment, problem)
  const { events, verdict } = await incident.attempt(idleSolver(incident))
  expect(events.map(({ type }) => type)).toEqual(['episode-started', 'harness-failed', 'verdict-given'])
  expect(events[0]).toMatchObject({ problem, load: problem.load })
  expect(verdict).toMatchObject({ outcome: 'void', code: 'defect', blame: 'harness' })
})
