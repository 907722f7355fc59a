/** The stage in which somebody tries to solve the problem. */
import type { EpisodeEvent } from '../spec/index.ts'
import { closeAgentAccess, openAgentAccess } from './agent-access.ts'
import { createSolverBudget } from './create-solver-budget.ts'
import { createSolverContext, type Turn } from './create-solver-context.ts'
import type { EventLog } from './event-log.ts'
import { isOthersFault } from './is-others-fault.ts'
import type { LabCore } from './lab-core.ts'

/** Of what a solver says of its own failure. */
const MOST_OF_A_REASON = 2000

/** Ends when the solver does, or its budget; throws only what is not the solver's fault. */
export const act = async (core: LabCore, log: EventLog, turn: Turn): Promise<void> => {
  const { cluster, time, view } = core
  const { solver, briefing } = turn
  const access =
    solver.isTrusted === true ? cluster : await openAgentAccess(cluster, view.namespace, briefing.task)
  log.add({ type: 'solver-began' })
  const budget = createSolverBudget(briefing.budget, time)
  const lent = createSolverContext(core, log, turn, access, budget)
  const { signal } = budget
  let end: Omit<EpisodeEvent & { type: 'solver-ended' }, 'at' | 'type'>
  try {
    const solving = solver.solve(lent.context).then(() => 'done' as const)
    const outcome = await Promise.race([solving, budget.spent])
    if (budget.excuse !== undefined) throw budget.excuse
    end =
      outcome === 'done' && !signal.aborted
        ? { outcome: lent.hasGivenUp ? 'gave-up' : 'submitted' }
        : { outcome: 'budget-spent', reason: (signal.reason as Error).message }
  } catch (error) {
    if (lent.spoilt !== undefined || budget.excuse !== undefined) throw lent.spoilt ?? budget.excuse
    if (isOthersFault(error) && error.code !== 'defect') throw error
    const reason = error instanceof Error ? error.message : String(error)
    end = { outcome: signal.aborted ? 'budget-spent' : 'failed', reason: reason.slice(0, MOST_OF_A_REASON) }
  } finally {
    await lent.close()
  }
  // What it has left running somewhere may still have its token, and what it did by that would count as its work.
  if (solver.isTrusted !== true) await closeAgentAccess(cluster, briefing.task)
  log.add({ type: 'solver-ended', ...end })
}
