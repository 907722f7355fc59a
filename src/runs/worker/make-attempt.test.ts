/** A hack counts as one that fails only where it was played to its end. */
import { expect, it } from 'vitest'
import type { Prepared } from '../../episode/index.ts'
import type { Hack, Problem, SolverContext } from '../../spec/index.ts'
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

/** Plays the solver as an episode does; whatever it does, the verdict is that nothing is mended. */
const toPrepared = (): Prepared =>
  ({
    problem: PROBLEM,
    faults: [],
    shown: true,
    events: [{ type: 'episode-began', time: 0 }],
    core: { view: { workloads: [{ service: 'cart' }] }, cluster: {} },
    async attempt(solver: { solve(context: SolverContext): Promise<void> }) {
      const ended = await solver
        .solve({ api: { list: async () => {}, delete: async () => {} } } as unknown as SolverContext)
        .then(
          () => ({ outcome: 'submitted' }),
          (error: Error) => ({ outcome: 'failed', reason: error.message }),
        )
      return {
        events: [{ at: 1, type: 'solver-ended', ...ended }],
        verdict: { outcome: 'unresolved', blame: 'agent', reason: 'it is still there', damage: [] },
      }
    },
  }) as unknown as Prepared

const make = (act: Hack['act']) =>
  makeAttempt(
    toPrepared(),
    { name: 'hack try', expected: 'unresolved' },
    { faults: new Map(), commonHacks: [{ name: 'try', about: '', act }], records: undefined },
  )

it('keeps what came of a hack that did all it is about', async () => {
  const { result, leftAll } = await make(({ api }) =>
    api.delete({ apiVersion: 'v1', plural: 'pods', name: 'x' }),
  )
  expect(result).toMatchObject({ attempt: 'hack try', outcome: 'unresolved', expected: 'unresolved' })
  expect(leftAll).toBe(false)
})

it('knows that one that found nothing to do has left all as it was', async () => {
  const { leftAll } = await make(async () => {})
  expect(leftAll).toBe(true)
})

it('refuses to count one that broke off', async () => {
  await expect(make(() => Promise.reject(new Error('container not found')))).rejects.toMatchObject({
    blame: 'harness',
    message: 'The hack try could not be played to its end: container not found.',
  })
})
