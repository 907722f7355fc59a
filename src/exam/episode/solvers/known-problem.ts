/** The right answers and repairs, for solvers that know the problem. */
import {
  type Answers,
  RemediumError,
  type SolverContext,
  type SystemView,
  type Task,
  taskOf,
  toFaultTruth,
  toRightAnswers,
} from '#spec'
import type { InjectedFault } from '../stages/fault-switch.ts'

export interface KnownProblem {
  readonly problem: { readonly task: Task }
  readonly system: SystemView
  readonly faults: readonly InjectedFault[]
}

const MAX_OUTPUT_CHARACTERS = 2000

/** Whether the task requires answers as well as a repair. */
export const requiresAnswersAndRepair = ({ problem }: Pick<KnownProblem, 'problem'>): boolean => {
  const { repairs, questions } = taskOf(problem.task)
  return repairs && questions.length > 0
}

/** The right answer to every question. */
export const rightAnswersTo = ({ system, faults }: Pick<KnownProblem, 'system' | 'faults'>): Answers =>
  toRightAnswers({
    isFaulty: faults.length > 0,
    faults: faults.map(({ fault, state, planned: { target, params, afterMs } }) =>
      toFaultTruth(fault, { system, target, params, state }, afterMs),
    ),
  })

/** The faults that must be repaired; transient ones vanish without intervention. */
export const listLastingFaults = (faults: readonly InjectedFault[]): readonly InjectedFault[] =>
  faults.filter(({ planned }) => planned.shape.kind !== 'transient')

/** Runs the reference playbook of each fault; throws if one fails. */
export const repairAll = async (
  { runPlaybook }: Pick<SolverContext, 'runPlaybook'>,
  system: SystemView,
  faults: readonly InjectedFault[],
): Promise<void> => {
  for (const { fault, planned, state } of faults) {
    const { target, params } = planned
    const { ok, output } = await runPlaybook(fault.fix({ system, target, params, state }))
    if (!ok)
      throw new RemediumError(
        'defect',
        `The reference playbook of ${fault.name} failed: ${output.slice(-MAX_OUTPUT_CHARACTERS)}`,
      )
  }
}
