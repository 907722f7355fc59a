/** The stage in which somebody tries to solve the problem. */
import { runPlaybook } from '../playbook/index.ts'
import { type Briefing, RemediumError, type Solver, type SolverContext } from '../spec/index.ts'
import type { EventLog } from './event-log.ts'
import type { LabCore } from './lab-core.ts'

/** Of what a playbook said, in the record. */
const MOST_OBSERVED = 20_000

/** Who throws something of the machine's gets no blame for it. */
const isOthersFault = (error: unknown): error is RemediumError =>
  error instanceof RemediumError && !['agent', 'operator'].includes(error.blame)

/** Ends when the solver does, or its budget; throws only what is not the solver's fault. */
export const act = async (
  core: LabCore,
  log: EventLog,
  solver: Solver,
  briefing: Briefing,
): Promise<void> => {
  const ending = new AbortController()
  const { signal } = ending
  const { cluster, time } = core
  log.add({ type: 'solver-began' })
  const budget = time.after(briefing.budget.seconds * 1000, () =>
    ending.abort(new Error('the time of the budget is spent')),
  )
  let isOver = false
  let steps = 0
  let spoilt: RemediumError | undefined
  const note: SolverContext['note'] = (step) => {
    if (isOver) return
    log.add({ type: 'step-taken', ...step })
    steps += 1
    if (steps >= briefing.budget.steps) ending.abort(new Error('the steps of the budget are spent'))
  }
  const context: SolverContext = {
    ...{ briefing, api: cluster.api, kubeconfig: cluster.kubeconfig, signal, note },
    telemetry: cluster.telemetry!.query,
    sleep: (ms) => time.sleep(ms, signal),
    async runPlaybook(text) {
      const { ok, output } = await runPlaybook({ text, kubeconfig: cluster.kubeconfig, signal }).catch(
        (error) => {
          if (isOthersFault(error)) spoilt = error
          throw error
        },
      )
      note({ action: 'run-playbook', input: text, observation: output.slice(-MOST_OBSERVED) })
      return { ok, output }
    },
    answer(answers) {
      if (!isOver) log.add({ type: 'answers-given', answers })
    },
  }
  const spent = new Promise<'spent'>((resolve) => {
    signal.addEventListener('abort', () => resolve('spent'), { once: true })
  })
  try {
    const outcome = await Promise.race([solver.solve(context).then(() => 'done' as const), spent])
    if (outcome === 'done' && !signal.aborted) log.add({ type: 'solver-ended', outcome: 'submitted' })
    else log.add({ type: 'solver-ended', outcome: 'budget-spent', reason: (signal.reason as Error).message })
  } catch (error) {
    if (spoilt !== undefined) throw spoilt
    if (isOthersFault(error) && error.code !== 'defect') throw error
    log.add({
      type: 'solver-ended',
      outcome: signal.aborted ? 'budget-spent' : 'failed',
      reason: error instanceof Error ? error.message : String(error),
    })
  } finally {
    isOver = true
    budget.cancel()
    ending.abort(new Error('the solver has ended'))
  }
}
