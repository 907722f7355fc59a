/** Who changes nothing. */
import type { Solver } from '../../spec/index.ts'
import { type KnownProblem, truthOf } from './known-problem.ts'

/** And says nothing. */
export const doNothing: Solver = { name: 'do-nothing', isTrusted: true, async solve() {} }

/**
 * And says the truth where answers count beside deeds. Whoever said nothing there would fail by that alone, whatever has become of the
 * system; so it is the missing deed that is judged.
 */
export const idleSolver = (known: KnownProblem): Solver =>
  known.problem.task === 'end-to-end'
    ? { ...doNothing, solve: async ({ answer }) => answer(truthOf(known)) }
    : doNothing
