/** The reference: knows the problem, gives the right answers and runs the reference playbook of each fault. */
import { type Solver, taskOf } from '#spec'
import { type KnownProblem, listLastingFaults, repairAll, rightAnswersTo } from './known-problem.ts'

export const referenceSolver = (known: KnownProblem): Solver => ({
  name: 'reference',
  isTrusted: true,
  async solve(context) {
    context.answer(rightAnswersTo(known))
    if (taskOf(known.problem.task).repairs)
      await repairAll(context, known.system, listLastingFaults(known.faults))
  },
})
