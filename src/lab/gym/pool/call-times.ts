/** The longest times of calls of the gym. */
import { maxFaultTimeOf, type Problem } from '#spec'

/** Provisioning of a cluster, with retries. */
const RESET_MS = 900_000
/** Ending and judging an episode, in addition to the agent's budget and the time of the faults. */
const JUDGING_MS = 300_000

export const maxResetMsOf = (problem: Problem): number => RESET_MS + 2 * maxFaultTimeOf(problem)
export const maxStepMsOf = (problem: Problem): number =>
  problem.budget.seconds * 1000 + JUDGING_MS + maxFaultTimeOf(problem)
