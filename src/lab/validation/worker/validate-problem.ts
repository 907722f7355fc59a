/** Makes all attempts at one problem, on as few incidents as possible. If an attempt fails, the worker closes the lab cluster. */
import { join } from 'node:path'
import type { Incident } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { COMMON_HACKS } from '#exam/hacks'
import { RIGHT_REPAIRS } from '#exam/right-repairs'
import { lazily } from '#kit'
import {
  canForkOn,
  createLabClusterKeeper,
  createPreparedIncidents,
  type JobContext,
  type JobServer,
  type LabClusterKeeper,
  type PreparedIncidents,
  usesMachine,
  withHeartbeat,
} from '#lab/workers'
import { DEFAULT_ENGINE, type Fault, maxFaultTimeOf, type Problem } from '#spec'
import type { FinishedAttempt, ValidationJob } from '../attempt.ts'
import { isHack } from '../plan-attempts.ts'
import { makeAttempt } from './make-attempt.ts'
import { validateInForks } from './validate-in-forks.ts'

const VALIDATION_INCIDENT = join(import.meta.dirname, '../validation-incident.ts')
/** A worker needs the incident of one problem at a time. */
const MAX_WAITING_MIB = 150

/** Whether the faults stay until they are repaired, so that the next attempt can use the same incident. */
const isLasting = ({ faults }: Problem): boolean => faults.every(({ shape }) => shape.kind !== 'transient')

export interface ValidationTools {
  readonly labClusters: LabClusterKeeper
  readonly faults: ReadonlyMap<string, Fault>
  /** Forks attempts on simulated clusters; by default, each attempt prepares its incident. */
  readonly incidents?: PreparedIncidents
}

export const validateProblem = async (
  job: ValidationJob,
  context: JobContext<FinishedAttempt>,
  { labClusters, faults, incidents }: ValidationTools,
): Promise<void> => {
  const { problem, attempts, engine = DEFAULT_ENGINE, records } = job
  const { signal, stage, alive, result: send } = context
  // No agent takes part, so the secret may be predictable; repeated attempts then see the same image tags.
  const secret = `validation of ${problem.id}`
  if (incidents !== undefined && canForkOn(engine))
    return validateInForks(job, context, { engine, secret, incidents })
  const isReal = usesMachine(engine)
  const tools = { faults, commonHacks: COMMON_HACKS, rightRepairs: RIGHT_REPAIRS, records }
  const maxMs = maxFaultTimeOf(problem)
  let incident: Incident | undefined
  let hasSeenImpact = false
  for (const attempt of attempts) {
    if (incident === undefined) {
      // A hack must fail whether or not users are already affected, so waiting for impact once is enough on real clusters.
      const waitsForImpact = !(isReal && hasSeenImpact && isHack(attempt))
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
    // On a simulated cluster, the attempts are those of forks, which do not follow one another.
    if (isReal && leftUnchanged && isLasting(problem) && attempt !== attempts.at(-1)) continue
    stage(`restoring ${problem.system}`)
    await labClusters.restore(incident)
    incident = undefined
  }
}

export const createProblemValidator = (): JobServer<ValidationJob, FinishedAttempt> => {
  const faults = lazily(loadFaults)
  const labClusters = createLabClusterKeeper()
  const incidents = createPreparedIncidents({ program: VALIDATION_INCIDENT, maxWaitingMib: MAX_WAITING_MIB })
  return {
    close: async () => void (await Promise.all([labClusters.close(), incidents.close()])),
    run: async (job, context) =>
      validateProblem(job, context, { labClusters, faults: await faults(), incidents }),
  }
}
