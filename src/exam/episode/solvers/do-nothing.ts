/** Solvers that change nothing. */
import type { Solver } from '#spec'
import { type KnownProblem, requiresAnswersAndRepair, rightAnswersTo } from './known-problem.ts'

/** Neither acts nor answers. */
export const doNothing: Solver = { name: 'do-nothing', isTrusted: true, async solve() {} }

/**
 * Does not act, but gives the right answers if the task also asks for a repair. Without them it would fail for its answers
 * alone, and the missing repair would not be judged.
 */
export const idleSolver = (known: KnownProblem): Solver =>
  requiresAnswersAndRepair(known)
    ? { ...doNothing, solve: async ({ answer }) => answer(rightAnswersTo(known)) }
    : doNothing
