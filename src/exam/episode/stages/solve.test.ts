/** Tests solvers that succeed, fail, take too long, and fail for reasons that they did not cause. */

import { describe, expect, it } from 'vitest'
import { defined } from '#kit'
import {
  type EnginePlaybook,
  type EnginePlaybookResult,
  type EpisodeEvent,
  RemediumError,
  type RunEnginePlaybook,
  type Solver,
  type SolverContext,
} from '#spec'
import { answerSolver } from '../solvers/answer-solver.ts'
import { doNothing } from '../solvers/do-nothing.ts'
import { createFakeLab, toSolveInputs } from '../testing/fake-lab.ts'
import { solve as solveStage } from './solve.ts'

const solve = async (solver: Solver, budget = { steps: 3, seconds: 0.2 }) => {
  const { equipment, log } = createFakeLab()
  await solveStage.run({ equipment, log, solver, ...toSolveInputs(equipment, budget) })
  return log.events as readonly EpisodeEvent[]
}
const toSolver = (body: (context: SolverContext) => Promise<void>): Solver => ({ name: 'test', solve: body })
const lastEvent = (events: readonly EpisodeEvent[]) => events.at(-1)

describe('a playbook of the laboratory', () => {
  const reference: Solver = {
    name: 'reference',
    isTrusted: true,
    solve: async ({ runPlaybook }) => void (await runPlaybook('- hosts: localhost')),
  }
  const solveOnEngine = async (result: Partial<EnginePlaybookResult>) => {
    const { equipment, log } = createFakeLab()
    const playbooks: EnginePlaybook[] = []
    const runPlaybook: RunEnginePlaybook = async (playbook) => {
      playbooks.push(playbook)
      return { ok: true, output: 'PLAY RECAP', tasks: [], milliseconds: 1, ...result }
    }
    Object.assign(equipment.cluster, { runPlaybook })
    const inputs = toSolveInputs(equipment, { steps: 3, seconds: 1 })
    const running = solveStage.run({ equipment, log, solver: reference, ...inputs })
    return { running, playbooks, log, equipment }
  }

  it('is run by the engine, if it can, with the rights of the laboratory', async () => {
    const { running, playbooks, log, equipment } = await solveOnEngine({})
    await running
    expect(playbooks).toMatchObject([{ text: '- hosts: localhost', namespace: 'little', groups: [] }])
    expect(playbooks[0]!.api).toBe(equipment.cluster.api)
    expect(log.events).toContainEqual(
      expect.objectContaining({ type: 'step-taken', action: 'run-playbook', observation: 'PLAY RECAP' }),
    )
    expect(lastEvent(log.events)).toMatchObject({ outcome: 'submitted' })
  })

  it('that the engine does not support ends the attempt', async () => {
    const { running, log } = await solveOnEngine({ ok: false, unsupported: 'the module apt' })
    await expect(running).rejects.toMatchObject({ code: 'unsupported', blame: 'harness' })
    expect(log.events.some(({ type }) => type === 'solver-ended')).toBe(false)
  })
})

describe('a solver', () => {
  it('that returns without acting has submitted', async () => {
    const events = await solve(doNothing)
    expect(events.map(({ type }) => type)).toEqual(['solver-started', 'solver-ended'])
    expect(lastEvent(events)).toMatchObject({ outcome: 'submitted' })
  })

  it('gets the ID of the attempt, which is also in the record', async () => {
    let episodeSeen: string | undefined
    const [started] = await solve(
      toSolver(async ({ episode }) => {
        episodeSeen = episode
      }),
    )
    expect(episodeSeen).toMatch(/^[0-9a-f]{16}$/)
    expect(started).toMatchObject({ type: 'solver-started', episode: episodeSeen })
  })

  it('has its answers recorded', async () => {
    const events = await solve(answerSolver({ detected: true }))
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'answers-given', answers: { detected: true } }),
    )
  })

  it('that throws has failed', async () => {
    const events = await solve(
      toSolver(async () => {
        throw new TypeError('I am lost')
      }),
    )
    expect(lastEvent(events)).toMatchObject({ type: 'solver-ended', outcome: 'failed', reason: 'I am lost' })
  })

  it('ends when its time is spent; later steps are ignored', async () => {
    let finish = (): void => {}
    const events = await solve(
      toSolver(async ({ note }) => {
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        note({ action: 'late', reach: 'nothing', input: '', observation: '' })
      }),
    )
    finish()
    await Promise.resolve()
    expect(lastEvent(events)).toMatchObject({
      outcome: 'budget-spent',
      reason: 'the time budget is spent',
    })
    expect(events.some(({ type }) => type === 'step-taken')).toBe(false)
  })

  it('that never returns loses its access when its time is spent', async () => {
    const { equipment, log } = createFakeLab()
    const calls: string[] = []
    let openWatches = 0
    const get = async () => void calls.push('get')
    const watch = async () => {
      openWatches += 1
      return () => {
        openWatches -= 1
      }
    }
    Object.assign(equipment.cluster.api, { get, watch })
    let context: SolverContext | undefined
    const endless = toSolver((solverContext) => {
      context = solverContext
      return solverContext.api
        .watch(
          {} as never,
          {},
          () => {},
          () => {},
        )
        .then(() => new Promise(() => {}))
    })
    const inputs = toSolveInputs(equipment, { steps: 3, seconds: 0.05 })
    await solveStage.run({ equipment, log, solver: endless, ...inputs })
    expect(openWatches).toBe(0)
    await expect(context!.api.get({} as never)).rejects.toThrow('the time budget is spent')
    expect(calls).toEqual([])
    expect(log.events.at(-1)).toMatchObject({ type: 'solver-ended', outcome: 'budget-spent' })
  })

  it('ends when its steps are spent', async () => {
    const events = await solve(
      toSolver(async ({ note, sleep }) => {
        for (let step = 0; step < 5; step += 1) {
          note({ action: 'look', reach: 'nothing', input: step, observation: '' })
          await sleep(1)
        }
      }),
      { steps: 3, seconds: 5 },
    )
    expect(lastEvent(events)).toMatchObject({
      outcome: 'budget-spent',
      reason: 'the step budget is spent',
    })
  })

  it.each([
    [undefined, 'for a-token'],
    [true, 'text'],
  ])('with isTrusted %s gets the matching credentials', async (isTrusted, kubeconfig) => {
    let kubeconfigSeen = ''
    const readKubeconfig = async (context: SolverContext): Promise<void> => {
      kubeconfigSeen = context.kubeconfig
    }
    await solve({ name: 'test', solve: readKubeconfig, ...defined({ isTrusted }) })
    expect(kubeconfigSeen).toBe(kubeconfig)
  })

  it('can submit after its last step', async () => {
    const events = await solve(
      toSolver(async ({ note }) => {
        note({ action: 'look', reach: 'nothing', input: '', observation: '' })
        note({ action: 'submit', reach: 'answers', input: '', observation: '' })
      }),
      { steps: 2, seconds: 5 },
    )
    expect(lastEvent(events)).toMatchObject({ outcome: 'submitted' })
    expect(events.filter(({ type }) => type === 'step-taken')).toHaveLength(2)
  })

  it('ends when a budget that is counted elsewhere is spent, or when it gives up', async () => {
    const spent = toSolver(async ({ spend }) => {
      spend('the token budget is spent')
      await new Promise(() => {})
    })
    expect(lastEvent(await solve(spent))).toMatchObject({
      outcome: 'budget-spent',
      reason: 'the token budget is spent',
    })
    expect(lastEvent(await solve(toSolver(async ({ giveUp }) => giveUp())))).toMatchObject({
      outcome: 'gave-up',
    })
  })

  it('is excused if a provider took most of its time, but not if another budget is spent', async () => {
    const excuse = new RemediumError('model-failed', 'It took most of the time.')
    const delayed = toSolver(async ({ setExcuse }) => {
      setExcuse(() => excuse)
      await new Promise(() => {})
    })
    await expect(solve(delayed)).rejects.toBe(excuse)
    const wasteful = toSolver(async ({ setExcuse, spend }) => {
      setExcuse(() => excuse)
      spend('the token budget is spent')
      await new Promise(() => {})
    })
    expect(lastEvent(await solve(wasteful))).toMatchObject({ outcome: 'budget-spent' })
  })

  it('ends after the work that it started, and the events of that work are recorded', async () => {
    const events = await solve(
      toSolver(async ({ spend, registerWork, record }) => {
        const work = new Promise<void>((resolve) => {
          setTimeout(() => {
            record({ type: 'playbook-rolled-back', objects: ['Deployment/greeter'] })
            resolve()
          }, 20)
        })
        registerWork(work)
        spend('the cost budget is spent')
        await new Promise(() => {})
      }),
    )
    expect(events.map(({ type }) => type)).toEqual(['solver-started', 'playbook-rolled-back', 'solver-ended'])
  })

  it('is excused if the engine does not support its work, even if it submits meanwhile', async () => {
    const unsupported = new RemediumError('unsupported', 'The engine cannot run the playbook: apt.')
    const hasty = toSolver(async ({ registerWork }) => {
      registerWork(new Promise((_, reject) => void setTimeout(() => reject(unsupported), 20)))
    })
    await expect(solve(hasty)).rejects.toBe(unsupported)
  })

  it('is excused for a tool that the machine lacks', async () => {
    const solverWithoutTool = toSolver(async () => {
      throw new RemediumError('tool-missing', 'There is no ansible-playbook on this machine.')
    })
    await expect(solve(solverWithoutTool)).rejects.toMatchObject({
      code: 'tool-missing',
      blame: 'environment',
    })
  })

  it('is excused for a model or program that is unavailable, but not for its own bad arguments', async () => {
    const throwing = (error: Error) =>
      toSolver(async () => {
        throw error
      })
    for (const error of [
      new RemediumError('key-missing', 'The key is not accepted.'),
      new RemediumError('model-failed', 'There is no such model.', { blame: 'operator' }),
      new RemediumError('tool-missing', 'The program cannot be started.', { blame: 'operator' }),
    ])
      await expect(solve(throwing(error))).rejects.toBe(error)
    const failedByAgent = await solve(throwing(new RemediumError('bad-argument', 'There is no such table.')))
    expect(lastEvent(failedByAgent)).toMatchObject({ outcome: 'failed', reason: 'There is no such table.' })
  })

  it('that writes very long strings has a record of limited size', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const events = await solve(
      toSolver(async ({ note, record }) => {
        for (let turn = 0; turn < 1200; turn += 1)
          record({ type: 'thought-noted', role: 'x'.repeat(1000), thought: 't'.repeat(200_000) })
        note({ action: 'a'.repeat(4000), reach: 'nothing', input: deep, observation: 'o' })
      }),
      { steps: 9, seconds: 30 },
    )
    const verbose = await solve(toSolver(() => Promise.reject(new Error('x'.repeat(1_000_000)))))
    expect(lastEvent(verbose)).toMatchObject({ outcome: 'failed', reason: 'x'.repeat(2000) })
    const thoughts = events.filter((event) => event.type === 'thought-noted')
    expect(thoughts).toHaveLength(1200)
    expect(thoughts[0]!.thought).toMatch(/^t{65536}\n\(134464 characters omitted\)$/)
    expect(thoughts.at(-1)!.thought).toMatch(/^\(\d+ characters omitted\)$/)
    expect(events.find((event) => event.type === 'step-taken')).toMatchObject({ input: {} })
    expect(events.reduce((sum, event) => sum + JSON.stringify(event).length, 0)).toBeLessThan(68 * 2 ** 20)
  })
})
