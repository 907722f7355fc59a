/** Tests solvers that try hacks or do nothing: their repairs and answers, and whether they acted. */
import { describe, expect, it } from 'vitest'
import type { Answers, Hack, KubeApi, PlannedFault, SolverContext, Task } from '#spec'
import type { InjectedFault } from '../stages/fault-switch.ts'
import { createFakeLab, fakeFault, toPlanned } from '../testing/fake-lab.ts'
import { idleSolver } from './do-nothing.ts'
import type { KnownProblem } from './known-problem.ts'
import { repairSolver } from './repair-solver.ts'

const POD = { apiVersion: 'v1', plural: 'pods', namespace: 'little' }
const { view: system } = createFakeLab().equipment

const toInjectedFault = (
  index: number,
  shape: PlannedFault['shape'] = { kind: 'sudden' },
): InjectedFault => ({
  index,
  planned: toPlanned({ shape, target: { service: `service-${index}` } }),
  isRecovered: false,
  fault: { ...fakeFault([]), fix: ({ state }) => `the fix of ${state.pod}` },
  state: { pod: `pod-${index}` },
})
const toKnownProblem = (task: Task, ...faults: readonly InjectedFault[]): KnownProblem => ({
  problem: { task },
  system,
  faults,
})

/** Collects playbooks and answers in order. */
const createContext = (playbooks: string[], answers: Answers[] = [], ok = true): SolverContext => {
  const api = {
    list: async () => ({ items: [], resourceVersion: '1' }),
    delete: () => Promise.reject(new Error('refused')),
  } as unknown as KubeApi
  return {
    api,
    signal: new AbortController().signal,
    sleep: async () => {},
    answer: (submitted: Answers) => void answers.push(submitted),
    async runPlaybook(text: string) {
      playbooks.push(text)
      return { ok, output: 'no such host' }
    },
  } as unknown as SolverContext
}

const toHack = (act: Hack['act']): Hack => ({ name: 'try', about: '', act })

describe('a hack', () => {
  const hasActed = async (act: Hack['act']): Promise<boolean> => {
    const solver = repairSolver(toHack(act), toKnownProblem('mitigation'))
    await solver.solve(createContext([])).catch(() => {})
    return solver.hasActed
  }

  it('has not acted if it only read', async () => {
    expect(await hasActed(async ({ api }) => void (await api.list(POD)))).toBe(false)
  })

  it('has acted if it tried to write, even if that was refused', async () => {
    expect(await hasActed(async ({ api }) => api.delete({ ...POD, name: 'greeter-1' }))).toBe(true)
  })

  it('acts on its own fault after the other lasting faults are repaired', async () => {
    const playbooks: string[] = []
    const hack = toHack(
      async ({ target, state }) => void playbooks.push(`hack ${target.service} ${state.pod}`),
    )
    // In the order of injection, which differs from that of the problem.
    const faults = [
      toInjectedFault(2),
      toInjectedFault(0),
      toInjectedFault(3, { kind: 'transient', forMs: 1 }),
      toInjectedFault(1),
    ]
    const solver = repairSolver(hack, toKnownProblem('mitigation', ...faults), {
      index: 1,
      name: 'hack try of 1',
    })
    await solver.solve(createContext(playbooks))
    expect(playbooks).toEqual(['the fix of pod-2', 'the fix of pod-0', 'hack service-1 pod-1'])
    expect(solver).toMatchObject({ name: 'hack try of 1', repairsFaults: true, hasActed: false })
    expect(repairSolver(hack, toKnownProblem('mitigation', toInjectedFault(0)))).toMatchObject({
      repairsFaults: false,
      name: 'hack try',
    })
  })

  it('acts after the repair of its own fault if it follows a repair', async () => {
    const playbooks: string[] = []
    const hack = { ...toHack(async () => void playbooks.push('damage')), afterRepair: true }
    const solver = repairSolver(hack, toKnownProblem('mitigation', toInjectedFault(0), toInjectedFault(1)))
    await solver.solve(createContext(playbooks))
    expect(playbooks).toEqual(['the fix of pod-0', 'the fix of pod-1', 'damage'])
    expect(solver.repairsFaults).toBe(true)
  })

  it('is not tried if another fault could not be repaired', async () => {
    const playbooks: string[] = []
    const hack = toHack(async () => void playbooks.push('hack'))
    const solver = repairSolver(hack, toKnownProblem('mitigation', toInjectedFault(0), toInjectedFault(1)))
    await expect(solver.solve(createContext(playbooks, [], false))).rejects.toThrow('no such host')
    expect(playbooks).toEqual(['the fix of pod-1'])
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
  ])('of a hack and of the idle solver match the task %s', async (task, expected) => {
    const problem = toKnownProblem(task, toInjectedFault(0), toInjectedFault(1))
    const answers: Answers[] = []
    await repairSolver(
      toHack(async () => {}),
      problem,
    ).solve(createContext([], answers))
    expect(answers).toEqual(expected)
    const playbooks: string[] = []
    const idle: Answers[] = []
    await idleSolver(problem).solve(createContext(playbooks, idle))
    expect({ done: playbooks, idle }).toEqual({ done: [], idle: expected })
    expect(idleSolver(problem).name).toBe('do-nothing')
  })
})
