/** The stage in which somebody tries to solve the problem. */
import { rememberSystem, runPlaybook } from '../playbook/index.ts'
import {
  type Briefing,
  type EpisodeEvent,
  LABORATORY_PLAYBOOK,
  RemediumError,
  type Solver,
  type SolverContext,
} from '../spec/index.ts'
import { closeAgentAccess, openAgentAccess } from './agent-access.ts'
import { createDetailBound } from './bound-details.ts'
import type { EventLog } from './event-log.ts'
import type { Injection } from './inject.ts'
import type { LabCore } from './lab-core.ts'
import { lendApi } from './lend-api.ts'
import { limitTelemetry } from './limit-telemetry.ts'

/** Of what a playbook said, in the record. */
const MOST_OBSERVED = 20_000
/** Of what a solver says of its own failure. */
const MOST_OF_A_REASON = 2000

/**
 * With these models are refused (a wrong key, a wrong name, an empty account, another recording), and programs that are to
 * be the agent and are not there.
 */
const OF_OPERATORS: readonly string[] = ['key-missing', 'model-failed', 'not-recorded', 'tool-missing']

/**
 * Who throws something of the machine's gets no blame for it, nor who was given a model that cannot be had, nor who was
 * never started. Other mistakes of operators are arguments that the solver itself has given.
 */
const isOthersFault = (error: unknown): error is RemediumError => {
  if (!(error instanceof RemediumError) || error.blame === 'agent') return false
  return error.blame !== 'operator' || OF_OPERATORS.includes(error.code)
}

/** Whoever is not trusted gets to know nothing of earlier episodes, nor of the laboratory. */
const lendTelemetry = (
  { cluster, resetAt }: LabCore,
  { isTrusted = false }: Solver,
): Pick<SolverContext, 'telemetry' | 'sql'> => {
  const { query, sql } = cluster.telemetry!
  return isTrusted
    ? { telemetry: query, sql }
    : {
        telemetry: limitTelemetry(query, resetAt),
        sql: (text, parameters) => sql(text, parameters, { since: resetAt }),
      }
}

export interface Turn {
  readonly solver: Solver
  readonly briefing: Briefing
  readonly injection: Pick<Injection, 'hold'>
}

/** Ends when the solver does, or its budget; throws only what is not the solver's fault. */
export const act = async (
  core: LabCore,
  log: EventLog,
  { solver, briefing, injection }: Turn,
): Promise<void> => {
  const ending = new AbortController()
  const { signal } = ending
  const { cluster, time, view } = core
  const { api, kubeconfig } =
    solver.isTrusted === true ? cluster : await openAgentAccess(cluster, view.namespace, briefing.task)
  log.add({ type: 'solver-began' })
  let findExcuse: () => RemediumError | undefined = () => undefined
  let excuse: RemediumError | undefined
  const budget = time.after(briefing.budget.seconds * 1000, () => {
    excuse = findExcuse()
    ending.abort(new Error('the time of the budget is spent'))
  })
  /** What the solver says is not heard any more. */
  let isOver = false
  /** Nor what is told of its work. */
  let isSettled = false
  let hasGivenUp = false
  let steps = 0
  let spoilt: RemediumError | undefined
  const bounded = createDetailBound()
  /** What acts on the cluster, if nobody waits for it any more. */
  const running = new Set<Promise<unknown>>()
  const untilEnded = (work: Promise<unknown>): void => {
    running.add(work)
    const forget = (): void => void running.delete(work)
    work.then(forget, forget)
  }
  const note: SolverContext['note'] = (step) => {
    if (isOver) return
    log.add(bounded({ type: 'step-taken', ...step }))
    if (step.action === 'submit') return
    steps += 1
    if (steps >= briefing.budget.steps) ending.abort(new Error('the steps of the budget are spent'))
  }
  const context: SolverContext = {
    ...{ briefing, api: lendApi(api, signal), kubeconfig, signal, note, ...lendTelemetry(core, solver) },
    ...(core.calm === undefined ? {} : { calm: core.calm }),
    spend: (reason) => ending.abort(new Error(reason)),
    untilEnded,
    excuseBy(find) {
      findExcuse = find
    },
    giveUp() {
      hasGivenUp = true
    },
    record(event) {
      if (!isSettled) log.add(bounded(event))
    },
    sleep: (ms) => time.sleep(ms, signal),
    async remember() {
      const forget = await injection.hold()
      try {
        return { ...(await rememberSystem(cluster.api, view.namespace)), forget }
      } catch (error) {
        forget()
        throw error
      }
    },
    async runPlaybook(text) {
      const run = runPlaybook({ text, kubeconfig, signal })
      untilEnded(run)
      const { ok, output } = await run.catch((error) => {
        if (isOthersFault(error)) spoilt = error
        throw error
      })
      note({ action: LABORATORY_PLAYBOOK, input: text, observation: output.slice(-MOST_OBSERVED) })
      return { ok, output }
    },
    answer(answers) {
      if (!isOver) log.add({ type: 'answers-given', answers })
    },
  }
  const spent = new Promise<'spent'>((resolve) => {
    signal.addEventListener('abort', () => resolve('spent'), { once: true })
  })
  let end: Omit<EpisodeEvent & { type: 'solver-ended' }, 'at' | 'type'>
  try {
    const outcome = await Promise.race([solver.solve(context).then(() => 'done' as const), spent])
    if (excuse !== undefined) throw excuse
    end =
      outcome === 'done' && !signal.aborted
        ? { outcome: hasGivenUp ? 'gave-up' : 'submitted' }
        : { outcome: 'budget-spent', reason: (signal.reason as Error).message }
  } catch (error) {
    if (spoilt !== undefined || excuse !== undefined) throw spoilt ?? excuse
    if (isOthersFault(error) && error.code !== 'defect') throw error
    const reason = error instanceof Error ? error.message : String(error)
    end = { outcome: signal.aborted ? 'budget-spent' : 'failed', reason: reason.slice(0, MOST_OF_A_REASON) }
  } finally {
    isOver = true
    budget.cancel()
    ending.abort(new Error('the solver has ended'))
    // What is being ended by force still acts, and what it does is the solver's.
    await Promise.allSettled(running)
    isSettled = true
  }
  // What it has left running somewhere may still have its token, and what it did by that would count as its work.
  if (solver.isTrusted !== true) await closeAgentAccess(cluster, briefing.task)
  log.add({ type: 'solver-ended', ...end })
}
