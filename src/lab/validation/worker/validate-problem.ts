/** Makes all attempts at one problem, on as few incidents as possible. If an attempt fails, the worker closes the lab cluster. */
import type { Incident } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { COMMON_HACKS } from '#exam/hacks'
import { RIGHT_REPAIRS } from '#exam/right-repairs'
import { lazily } from '#kit'
import {
  createLabClusterKeeper,
  type JobContext,
  type JobServer,
  type LabClusterKeeper,
  withHeartbeat,
} from '#lab/workers'
import { type Fault, maxFaultTimeOf, type Problem } from '#spec'
import type { FinishedAttempt, ValidationJob } from '../attempt.ts'
import { isHack } from '../plan-attempts.ts'
import { makeAttempt } from './make-attempt.ts'

/** Whether the faults stay until they are repaired, so that the next attempt can use the same incident. */
const isLasting = ({ faults }: Problem): boolean => faults.every(({ shape }) => shape.kind !== 'transient')

export const validateProblem = async (
  { problem, attempts, engine, records }: ValidationJob,
  { signal, stage, alive, result: send }: JobContext<FinishedAttempt>,
  { labClusters, faults }: { labClusters: LabClusterKeeper; faults: ReadonlyMap<string, Fault> },
): Promise<void> => {
  const tools = { faults, commonHacks: COMMON_HACKS, rightRepairs: RIGHT_REPAIRS, records }
  const maxMs = maxFaultTimeOf(problem)
  let incident: Incident | undefined
  let hasSeenImpact = false
  for (const attempt of attempts) {
    if (incident === undefined) {
      // A hack must fail whether or not users are already affected, so waiting for impact once is enough.
      const waitsForImpact = !(hasSeenImpact && isHack(attempt))
      // No agent takes part, so the secret may be predictable; repeated attempts then see the same image tags.
      const secret = `validation of ${problem.id}`
      const { labCluster } = await labClusters.open({ problem, engine, faults, signal, stage, secret })
      stage(`preparing ${problem.id}`)
      const preparing = labCluster.laboratory.prepare(problem, { waitsForImpact, secret })
      incident = await withHeartbeat(alive, maxMs, preparing)
      labClusters.checkClock()
    }
    stage(`${problem.id}: ${attempt.name}`)
    const making = makeAttempt(incident, attempt, tools)
    const { result, leftUnchanged } = await withHeartbeat(alive, maxMs, making)
    hasSeenImpact = true
    send(result)
    if (leftUnchanged && isLasting(problem) && attempt !== attempts.at(-1)) continue
    stage(`restoring ${problem.system}`)
    await labClusters.restore(incident)
    incident = undefined
  }
}

export const createProblemValidator = (): JobServer<ValidationJob, FinishedAttempt> => {
  const faults = lazily(loadFaults)
  const labClusters = createLabClusterKeeper()
  return {
    close: labClusters.close,
    run: async (job, context) => validateProblem(job, context, { labClusters, faults: await faults() }),
  }
}
