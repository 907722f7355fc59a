/** Changes the budget of a problem, which also changes its id. */
import type { Budget, Problem } from '#spec'
import { problemId } from './problem-id.ts'

export const withBudget = (problem: Problem, { steps, seconds }: Partial<Budget>): Problem => {
  const { id: _, ...content } = problem
  const budget = {
    steps: steps ?? problem.budget.steps,
    seconds: seconds ?? problem.budget.seconds,
  }
  const changedContent = { ...content, budget }
  return { id: problemId(changedContent), ...changedContent }
}
