/** Makes one attempt of a validation in a process that was forked at its incident. */
import { COMMON_HACKS } from '#exam/hacks'
import { RIGHT_REPAIRS } from '#exam/right-repairs'
import type { ForkedIncident } from '#lab/workers'
import { maxFaultTimeOf, type Problem } from '#spec'
import type { FinishedAttempt, PlannedAttempt } from '../attempt.ts'
import { makeAttempt } from './make-attempt.ts'

export interface ForkedAttempt {
  readonly problem: Problem
  readonly attempt: PlannedAttempt
  /** The folder for records; none are kept by default. */
  readonly records?: string
}

/** In addition to the time of the faults. */
const ATTEMPT_MS = 900_000

export const maxAttemptMsOf = (problem: Problem): number => ATTEMPT_MS + maxFaultTimeOf(problem)

export const makeForkedAttempt =
  ({ setup, faults, labClusters, stage }: ForkedIncident<ForkedAttempt>) =>
  async (): Promise<FinishedAttempt> => {
    const { problem, attempt, records } = setup
    const { signal } = new AbortController()
    const { labCluster } = await labClusters.open({ problem, faults, signal, stage })
    const incident = await labCluster.laboratory.prepare(problem)
    const tools = { faults, commonHacks: COMMON_HACKS, rightRepairs: RIGHT_REPAIRS, records }
    return (await makeAttempt(incident, attempt, tools)).result
  }
