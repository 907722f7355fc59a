/** What hacks and idlers do beside what they are about, and what is known of them afterwards. */
import { describe, expect, it } from 'vitest'
import type { Answers, Hack, KubeApi, PlannedFault, SolverContext, Task } from '../../spec/index.ts'
import type { InjectedFault } from '../inject.ts'
import { createFakeLab, fakeFault, toPlanned } from '../testing/fake-lab.ts'
import { idleSolver } from './do-nothing.ts'
import { hackSolver } from './hack-solver.ts'
import type { KnownProblem } from './known-problem.ts'

const POD = { apiVersion: 'v1', plural: 'pods', namespace: 'little' }
const { core } = createFakeLab()

const injected = (index: number, shape: PlannedFault['shape'] = { kind: 'sudden' }): InjectedFault => ({
  index,
  planned: toPlanned({ shape, target: { service: `service-${index}` } }),
  isRecovered: false,
  fault: { ...fakeFault([]), fix: ({ state }) => `the fix of ${state.pod}` },
  state: { pod: `pod-${index}` },
})
const known = (task: Task, ...faults: readonly InjectedFault[]): KnownProblem => ({
  problem: { task },
  core,
  faults,
})

/** Notes what is said and done, in its order. */
const createContext = (done: string[], answers: Answers[] = [], ok = true): SolverContext => {
  const api = {
    list: async () => ({ items: [], resourceVersion: '1' }),
    delete: () => Promise.reject(new Error('refused')),
  } as unknown as KubeApi
  return {
    api,
    signal: new AbortController().signal,
    sleep: async () => {},
    answer: (given: Answers) => void answers.push(given),
    async runPlaybook(text: string) {
      done.push(text)
      return { ok, output: 'no such host' }
    },
  } as unknown as SolverContext
}

const toHack = (act: Hack['act']): Hack => ({ name: 'try', about: '', act })

describe('a hack', () => {
  const hasActed = async (act: Hack['act']): Promise<boolean> => {
    const solver = hackSolver(toHack(act), known('mitigation'))
    await solver.solve(createContext([])).catch(() => {})
    return solver.hasActed
  }

  it('has not acted where it only looked', async () => {
    expect(await hasActed(async ({ api }) => void (await api.list(POD)))).toBe(false)
  })

  it('has acted where it tried to, even if it was refused', async () => {
    expect(await hasActed(async ({ api }) => api.delete({ ...POD, name: 'greeter-1' }))).toBe(true)
  })

  it('is about its own fault, when the others that last are mended', async () => {
    const done: string[] = []
    const hack = toHack(async ({ target, state }) => void done.push(`hack ${target.service} ${state.pod}`))
    // In the order in which they came, which is not that of the problem.
    const faults = [injected(2), injected(0), injected(3, { kind: 'transient', forMs: 1 }), injected(1)]
    const solver = hackSolver(hack, known('mitigation', ...faults), { index: 1, name: 'hack try of 1' })
    await solver.solve(createContext(done))
    expect(done).toEqual(['the fix of pod-2', 'the fix of pod-0', 'hack service-1 pod-1'])
    expect(solver).toMatchObject({ name: 'hack try of 1', hasMended: true, hasActed: false })
    expect(hackSolver(hack, known('mitigation', injected(0)))).toMatchObject({
      hasMended: false,
      name: 'hack try',
    })
  })

  it('is not played where another fault could not be mended', async () => {
    const done: string[] = []
    const hack = toHack(async () => void done.push('hack'))
    const solver = hackSolver(hack, known('mitigation', injected(0), injected(1)))
    await expect(solver.solve(createContext(done, [], false))).rejects.toThrow('no such host')
    expect(done).toEqual(['the fix of pod-1'])
  })
})

describe('answers', () => {
  const TRUTH = {
    detected: true,
    services: ['service-0', 'service-1'],
    layer: 'application',
    type: 'code-defect',
  }

  it.each<[Task, Answers[]]>([
    ['end-to-end', [TRUTH as Answers]],
    ['mitigation', []],
  ])('of a hack and of an idler to a problem of %s', async (task, expected) => {
    const problem = known(task, injected(0), injected(1))
    const answers: Answers[] = []
    await hackSolver(
      toHack(async () => {}),
      problem,
    ).solve(createContext([], answers))
    expect(answers).toEqual(expected)
    const done: string[] = []
    const idle: Answers[] = []
    await idleSolver(problem).solve(createContext(done, idle))
    expect({ done, idle }).toEqual({ done: [], idle: expected })
    expect(idleSolver(problem).name).toBe('do-nothing')
  })
})
