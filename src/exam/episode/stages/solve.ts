/** Stage 5: the solver works on the incident until it ends or its budget is spent. */
import { digestOf } from '#kit'
import type { ClusterAccess, EpisodeEvent } from '#spec'
import { defineStage } from '../episode-context.ts'
import type { Equipment } from '../laboratory/equipment.ts'
import { inspectContainers } from '../laboratory/inspect-containers.ts'
import { observeData } from '../laboratory/observe-data.ts'
import { observeProcesses } from '../laboratory/observe-processes.ts'
import { closeAgentAccess, openAgentAccess } from '../solving/agent-access.ts'
import { createSolverBudget, type SolverBudget } from '../solving/create-solver-budget.ts'
import { createSolverContext, type SolverSession } from '../solving/create-solver-context.ts'
import { isExcused } from '../solving/is-excused.ts'

const MAX_REASON_CHARACTERS = 2000

type Ending = Omit<EpisodeEvent & { type: 'solver-ended' }, 'at' | 'type'>

/** Returns how the solver ended. Throws only errors that the solver is not to blame for. */
const waitForEnd = async (
  solving: Promise<void>,
  session: SolverSession,
  budget: SolverBudget,
): Promise<Ending> => {
  const { signal } = budget
  try {
    const outcome = await Promise.race([solving.then(() => 'done' as const), budget.spent])
    if (budget.excuse !== undefined) throw budget.excuse
    return outcome === 'done' && !signal.aborted
      ? { outcome: session.hasGivenUp ? 'gave-up' : 'submitted' }
      : { outcome: 'budget-spent', reason: (signal.reason as Error).message }
  } catch (error) {
    const excuse = session.failure ?? budget.excuse
    if (excuse !== undefined) throw excuse
    if (isExcused(error) && error.code !== 'defect') throw error
    const reason = error instanceof Error ? error.message : String(error)
    return {
      outcome: signal.aborted ? 'budget-spent' : 'failed',
      reason: reason.slice(0, MAX_REASON_CHARACTERS),
    }
  } finally {
    await session.close()
  }
}

/**
 * Derived from the credentials, which are secret and used once, or else from the cluster and its time, so that the ID reveals nothing
 * about the problem.
 */
const toAttemptId = ({ cluster, time }: Equipment, { kubeconfig }: ClusterAccess): string =>
  digestOf(kubeconfig === '' ? `${cluster.id} ${time.precise()}` : kubeconfig).slice(0, 16)

/** Throws only errors that the solver is not to blame for. */
export const solve = defineStage({
  name: 'solve',
  reads: ['equipment', 'log', 'injection', 'solver', 'report', 'baseline'],
  async run({ equipment, log, injection, solver, report: briefing, baseline }) {
    const { cluster, time, view } = equipment
    const isTrusted = solver.isTrusted === true
    const access = isTrusted ? cluster : await openAgentAccess(cluster, view.namespace, briefing.task)
    observeProcesses(equipment, log)
    inspectContainers(equipment, log)
    await observeData(equipment, log)
    const episode = toAttemptId(equipment, access)
    log.add({ type: 'solver-started', episode })
    const budget = createSolverBudget(briefing.budget, time)
    const session = createSolverContext({
      equipment,
      log,
      injection,
      briefing,
      baseline,
      isTrusted,
      access,
      budget,
      episode,
    })
    const ending = await waitForEnd(solver.solve(session.context), session, budget)
    // The solver may have submitted while the engine was still executing its action.
    if (session.failure?.code === 'unsupported') throw session.failure
    // A process that the solver left behind may still hold its token; its changes would count as the solver's work.
    if (!isTrusted) await closeAgentAccess(cluster, briefing.task)
    log.add({ type: 'solver-ended', ...ending })
    return undefined
  },
})
