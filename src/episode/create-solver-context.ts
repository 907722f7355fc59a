/** What a solver has in its hands while it acts: rights, signals, and the record as far as it may write it. */
import { rememberSystem, runPlaybook } from '../playbook/index.ts'
import {
  type Briefing,
  type ClusterAccess,
  LABORATORY_PLAYBOOK,
  type RemediumError,
  type Solver,
  type SolverContext,
} from '../spec/index.ts'
import { createDetailBound } from './bound-details.ts'
import type { SolverBudget } from './create-solver-budget.ts'
import type { EventLog } from './event-log.ts'
import type { Injection } from './inject.ts'
import { isOthersFault } from './is-others-fault.ts'
import type { LabCore } from './lab-core.ts'
import { lendApi } from './lend-api.ts'
import { limitTelemetry } from './limit-telemetry.ts'

/** Of what a playbook said, in the record. */
const MOST_OBSERVED = 20_000

export interface Turn {
  readonly solver: Solver
  readonly briefing: Briefing
  readonly injection: Pick<Injection, 'hold'>
}

export interface LentContext {
  readonly context: SolverContext
  readonly hasGivenUp: boolean
  /** What the machine did wrong when it ran a playbook for the solver, whatever that made of it. */
  readonly spoilt: RemediumError | undefined
  /** Ends its budget, and hears it no more; resolves when what it has begun has ended. */
  close(): Promise<void>
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

export const createSolverContext = (
  core: LabCore,
  log: EventLog,
  { solver, briefing, injection }: Turn,
  { api, kubeconfig }: ClusterAccess,
  budget: SolverBudget,
): LentContext => {
  const { cluster, time, view } = core
  const { signal } = budget
  /** What the solver says is not heard any more. */
  let isOver = false
  /** Nor what is told of its work. */
  let isSettled = false
  let hasGivenUp = false
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
    if (step.action !== 'submit') budget.countStep()
  }
  const context: SolverContext = {
    briefing,
    api: lendApi(api, signal),
    kubeconfig,
    ...lendTelemetry(core, solver),
    ...(core.calm === undefined ? {} : { calm: core.calm }),
    signal,
    note,
    spend: budget.spend,
    excuseBy: budget.excuseBy,
    untilEnded,
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
  return {
    context,
    get hasGivenUp() {
      return hasGivenUp
    },
    get spoilt() {
      return spoilt
    },
    async close() {
      isOver = true
      budget.close()
      // What is being ended by force still acts, and what it does is the solver's.
      await Promise.allSettled(running)
      isSettled = true
    },
  }
}
