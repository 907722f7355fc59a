/** Solvers that succeed, fail, dawdle and are let down. */
import { describe, expect, it } from 'vitest'
import {
  type Briefing,
  type EpisodeEvent,
  RemediumError,
  type Solver,
  type SolverContext,
} from '../spec/index.ts'
import { act } from './act.ts'
import { createInjection } from './inject.ts'
import { answerSolver } from './solvers/answer-solver.ts'
import { doNothing } from './solvers/do-nothing.ts'
import { createFakeLab } from './testing/fake-lab.ts'

const solve = async (solver: Solver, budget = { steps: 3, seconds: 0.2 }) => {
  const { core, log } = createFakeLab()
  const briefing: Briefing = {
    task: 'mitigation',
    system: 'little',
    namespace: 'little',
    budget,
    report: { kind: 'none', text: '' },
  }
  await act(core, log, { solver, briefing, injection: createInjection(core) })
  return log.events as readonly EpisodeEvent[]
}
const solver = (body: (context: SolverContext) => Promise<void>): Solver => ({ name: 'test', solve: body })
const endOf = (events: readonly EpisodeEvent[]) => events.at(-1)

describe('a solver', () => {
  it('that does nothing has submitted', async () => {
    const events = await solve(doNothing)
    expect(events.map(({ type }) => type)).toEqual(['solver-began', 'solver-ended'])
    expect(endOf(events)).toMatchObject({ outcome: 'submitted' })
  })

  it('has its answers recorded', async () => {
    const events = await solve(answerSolver({ detected: true }))
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'answers-given', answers: { detected: true } }),
    )
  })

  it('that throws has failed, by its own fault', async () => {
    const events = await solve(
      solver(async () => {
        throw new TypeError('I am lost')
      }),
    )
    expect(endOf(events)).toMatchObject({ type: 'solver-ended', outcome: 'failed', reason: 'I am lost' })
  })

  it('is cut off when its time is spent, and what it says later is not heard', async () => {
    let finish = (): void => {}
    const events = await solve(
      solver(async ({ note }) => {
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        note({ action: 'late', input: '', observation: '' })
      }),
    )
    finish()
    await Promise.resolve()
    expect(endOf(events)).toMatchObject({
      outcome: 'budget-spent',
      reason: 'the time of the budget is spent',
    })
    expect(events.some(({ type }) => type === 'step-taken')).toBe(false)
  })

  it('that never ends has nothing in its hands any more when its time is spent', async () => {
    const { core, log } = createFakeLab()
    const asked: string[] = []
    let open = 0
    const get = async () => void asked.push('get')
    const watch = async () => {
      open += 1
      return () => {
        open -= 1
      }
    }
    Object.assign(core.cluster.api, { get, watch })
    let context: SolverContext | undefined
    const endless = solver((lent) => {
      context = lent
      return lent.api
        .watch(
          {} as never,
          {},
          () => {},
          () => {},
        )
        .then(() => new Promise(() => {}))
    })
    const briefing: Briefing = {
      task: 'mitigation',
      system: 'little',
      namespace: 'little',
      budget: { steps: 3, seconds: 0.05 },
      report: { kind: 'none', text: '' },
    }
    await act(core, log, { solver: endless, briefing, injection: createInjection(core) })
    expect(open).toBe(0)
    await expect(context!.api.get({} as never)).rejects.toThrow('the time of the budget is spent')
    expect(asked).toEqual([])
    expect(log.events.at(-1)).toMatchObject({ type: 'solver-ended', outcome: 'budget-spent' })
  })

  it('is cut off when its steps are spent', async () => {
    const events = await solve(
      solver(async ({ note, sleep }) => {
        for (let step = 0; step < 5; step += 1) {
          note({ action: 'look', input: step, observation: '' })
          await sleep(1)
        }
      }),
      { steps: 3, seconds: 5 },
    )
    expect(endOf(events)).toMatchObject({
      outcome: 'budget-spent',
      reason: 'the steps of the budget are spent',
    })
  })

  it.each([
    [undefined, 'for a-token'],
    [true, 'text'],
  ])('of trust %s has rights of its own', async (isTrusted, kubeconfig) => {
    let given = ''
    const look = async (context: SolverContext): Promise<void> => {
      given = context.kubeconfig
    }
    await solve({ name: 'test', solve: look, ...(isTrusted === undefined ? {} : { isTrusted }) })
    expect(given).toBe(kubeconfig)
  })

  it('may submit after its last step', async () => {
    const events = await solve(
      solver(async ({ note }) => {
        note({ action: 'look', input: '', observation: '' })
        note({ action: 'submit', input: '', observation: '' })
      }),
      { steps: 2, seconds: 5 },
    )
    expect(endOf(events)).toMatchObject({ outcome: 'submitted' })
    expect(events.filter(({ type }) => type === 'step-taken')).toHaveLength(2)
  })

  it('is ended by a budget that somebody else counts, or by giving up', async () => {
    const spent = solver(async ({ spend }) => {
      spend('the tokens of the budget are spent')
      await new Promise(() => {})
    })
    expect(endOf(await solve(spent))).toMatchObject({
      outcome: 'budget-spent',
      reason: 'the tokens of the budget are spent',
    })
    expect(endOf(await solve(solver(async ({ giveUp }) => giveUp())))).toMatchObject({ outcome: 'gave-up' })
  })

  it('is not blamed for time that somebody else has spent, and is for what else it spends', async () => {
    const excuse = new RemediumError('model-failed', 'It took most of the time.')
    const robbed = solver(async ({ excuseBy }) => {
      excuseBy(() => excuse)
      await new Promise(() => {})
    })
    await expect(solve(robbed)).rejects.toBe(excuse)
    const lavish = solver(async ({ excuseBy, spend }) => {
      excuseBy(() => excuse)
      spend('the tokens of the budget are spent')
      await new Promise(() => {})
    })
    expect(endOf(await solve(lavish))).toMatchObject({ outcome: 'budget-spent' })
  })

  it('has not ended before its work has, and what is told of that is heard', async () => {
    const events = await solve(
      solver(async ({ spend, untilEnded, record }) => {
        const work = new Promise<void>((resolve) => {
          setTimeout(() => {
            record({ type: 'playbook-rolled-back', objects: ['Deployment/greeter'] })
            resolve()
          }, 20)
        })
        untilEnded(work)
        spend('the money of the budget is spent')
        await new Promise(() => {})
      }),
    )
    expect(events.map(({ type }) => type)).toEqual(['solver-began', 'playbook-rolled-back', 'solver-ended'])
  })

  it('is not blamed for what the machine lacks', async () => {
    const lacking = solver(async () => {
      throw new RemediumError('tool-missing', 'There is no ansible-playbook on this machine.')
    })
    await expect(solve(lacking)).rejects.toMatchObject({ code: 'tool-missing', blame: 'environment' })
  })

  it('is not blamed for a model or a program that cannot be had, and is for arguments of its own', async () => {
    const throwing = (error: Error) =>
      solver(async () => {
        throw error
      })
    for (const error of [
      new RemediumError('key-missing', 'The key is not accepted.'),
      new RemediumError('model-failed', 'There is no such model.', { blame: 'operator' }),
      new RemediumError('tool-missing', 'The program cannot be started.', { blame: 'operator' }),
    ])
      await expect(solve(throwing(error))).rejects.toBe(error)
    const own = await solve(throwing(new RemediumError('bad-argument', 'There is no such table.')))
    expect(endOf(own)).toMatchObject({ outcome: 'failed', reason: 'There is no such table.' })
  })

  it('that says very much has records of bounded size', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const events = await solve(
      solver(async ({ note, record }) => {
        for (let turn = 0; turn < 1200; turn += 1)
          record({ type: 'thought-noted', role: 'x'.repeat(1000), thought: 't'.repeat(200_000) })
        note({ action: 'a'.repeat(4000), input: deep, observation: 'o' })
      }),
      { steps: 9, seconds: 30 },
    )
    const verbose = await solve(solver(() => Promise.reject(new Error('x'.repeat(1_000_000)))))
    expect(endOf(verbose)).toMatchObject({ outcome: 'failed', reason: 'x'.repeat(2000) })
    const thoughts = events.filter((event) => event.type === 'thought-noted')
    expect(thoughts).toHaveLength(1200)
    expect(thoughts[0]!.thought).toMatch(/^t{65536}\n\(134464 characters left out\)$/)
    expect(thoughts.at(-1)!.thought).toMatch(/^\(\d+ characters left out\)$/)
    expect(events.find((event) => event.type === 'step-taken')).toMatchObject({ input: {} })
    expect(events.reduce((sum, event) => sum + JSON.stringify(event).length, 0)).toBeLessThan(68 * 2 ** 20)
  })
})
