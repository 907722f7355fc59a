/** The same problem with more or less time and steps: another problem, with another id. */
import type { Budget, Problem } from '../spec/index.ts'
import { problemId } from './problem-id.ts'

export const withBudget = (problem: Problem, { steps, seconds }: Partial<Budget>): Problem => {
  const { id: _, ...content } = problem
  const budget = {
    steps: steps ?? problem.budget.steps,
    seconds: seconds ?? problem.budget.seconds,
  }
  const changed = { ...content, budget }
  return { id: problemId(changed), ...changed }
}
