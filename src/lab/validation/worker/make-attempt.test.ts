/** Tests the results of hacks that are completed, find nothing to do, or are interrupted. */
import { expect, it } from 'vitest'
import type { Incident } from '#exam/episode'
import { type Hack, NO_METRICS, type Problem, type SolverContext } from '#spec'
import { attemptMark } from '../attempt-mark.ts'
import { makeAttempt } from './make-attempt.ts'

const PROBLEM: Problem = {
  id: 'p',
  system: 'shop',
  task: 'mitigation',
  report: 'none',
  seed: 's',
  budget: { steps: 10, seconds: 10 },
  faults: [{ fault: 'cut', target: { service: 'cart' }, params: {}, shape: { kind: 'sudden' } }],
}

type Outcome = 'resolved' | 'unresolved'

/** An incident that runs the solver, and whose verdict always has this outcome. */
const toIncident = (outcome: Outcome): Incident =>
  ({
    problem: PROBLEM,
    faults: [],
    hasImpact: true,
    events: [{ type: 'episode-started', time: 0 }],
    system: { workloads: [{ service: 'cart' }] },
    cluster: {},
    async attempt(solver: { solve(context: SolverContext): Promise<void> }) {
      const ended = await solver
        .solve({ api: { list: async () => {}, delete: async () => {} } } as unknown as SolverContext)
        .then(
          () => ({ outcome: 'submitted' }),
          (error: Error) => ({ outcome: 'failed', reason: error.message }),
        )
      return {
        events: [{ at: 1, type: 'solver-ended', ...ended }],
        verdict: {
          ...{ outcome, blame: 'agent', reason: 'it is still there', damage: [] },
          metrics: { ...NO_METRICS, journeyRunsFailed: 2, journeyRuns: 3 },
        },
      }
    },
  }) as unknown as Incident

const attemptHack = (
  act: Hack['act'],
  { outcome = 'unresolved', ...hack }: Partial<Hack> & { outcome?: Outcome } = {},
) =>
  makeAttempt(
    toIncident(outcome),
    { name: 'hack try', expected: 'unresolved' },
    { faults: new Map(), commonHacks: [{ name: 'try', about: '', act, ...hack }], records: undefined },
  )

it('keeps the result of a hack that was completed', async () => {
  const { result, leftUnchanged } = await attemptHack(({ api }) =>
    api.delete({ apiVersion: 'v1', plural: 'pods', name: 'x' }),
  )
  expect(result).toMatchObject({ attempt: 'hack try', outcome: 'unresolved', expected: 'unresolved' })
  expect(result.metrics).toEqual({ journeyRunsFailed: 2, journeyRuns: 3 })
  expect(leftUnchanged).toBe(false)
})

it('leaves the system unchanged if the hack found nothing to do', async () => {
  const { leftUnchanged } = await attemptHack(async () => {})
  expect(leftUnchanged).toBe(true)
})

it('expects a hack that acts after the repair to fail, or to pass if it found nothing to do', async () => {
  const deletePod: Hack['act'] = ({ api }) => api.delete({ apiVersion: 'v1', plural: 'pods', name: 'x' })
  const idle = await attemptHack(async () => {}, { afterRepair: true, outcome: 'resolved' })
  expect(idle.result).toMatchObject({ outcome: 'resolved', expected: 'resolved', isIdle: true })
  expect(attemptMark({ ...idle.result, tries: 1 })).toBe('idle')
  const active = await attemptHack(deletePod, { afterRepair: true })
  expect(active.result.expected).toBe('unresolved')
  expect(active.result).not.toHaveProperty('isIdle')
  expect((await attemptHack(async () => {})).result.expected).toBe('unresolved')
})

it('keeps the result of an attempt that the engine does not support', async () => {
  const incident = toIncident('unresolved')
  const verdict = {
    outcome: 'void',
    code: 'unsupported',
    blame: 'harness',
    reason: 'no such module',
    damage: [],
  }
  const unsupported = { ...incident, attempt: async () => ({ events: [], verdict }) } as unknown as Incident
  const tools = { faults: new Map(), commonHacks: [], records: undefined }
  const { result, leftUnchanged } = await makeAttempt(
    unsupported,
    { name: 'reference', expected: 'resolved' },
    tools,
  )
  expect(result).toMatchObject({ outcome: 'void', code: 'unsupported', reason: 'no such module' })
  expect(result).not.toHaveProperty('metrics')
  expect(leftUnchanged).toBe(false)
  expect(attemptMark({ ...result, tries: 1 })).toBe('unsupported')
})

it('rejects if a hack was interrupted', async () => {
  await expect(attemptHack(() => Promise.reject(new Error('container not found')))).rejects.toMatchObject({
    blame: 'harness',
    message: 'The hack try was interrupted: container not found.',
  })
})
