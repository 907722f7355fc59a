/** Plays one episode of an agent: prepares the incident, lets the agent try, judges, records and restores. */
import type { AttemptOutcome, Incident } from '#exam/episode'
import { loadFaults } from '#exam/faults'
import { createModelCache, type ModelCache } from '#examinee/models'
import { defined, lazily, preciseNow } from '#kit'
import { checkLikeMicroRemed } from '#lab/micro-remed/check'
import { type KeptRecord, keepRecord } from '#lab/records'
import {
  createLabClusterKeeper,
  type JobContext,
  type JobServer,
  type LabCluster,
  type LabClusterKeeper,
  mayHaveBrokenCluster,
  withHeartbeat,
} from '#lab/workers'
import { type Fault, maxFaultTimeOf, RemediumError, type ReportedVerdict, toReportedVerdict } from '#spec'
import type { RunJob } from '../play/run-job.ts'
import { type FinishedEpisode, toEpisodeResult } from '../play/to-episode-result.ts'
import { activityIn, costText } from './describe-events.ts'
import { type OpenSolver, openSolver } from './open-solver.ts'

/** The time that ending and judging an episode may take, in addition to the agent's budget and the time of the faults. */
const JUDGING_MS = 300_000

interface WorkerTools {
  readonly labClusters: LabClusterKeeper
  readonly faults: ReadonlyMap<string, Fault>
  readonly models: ModelCache
}

type Context = JobContext<FinishedEpisode>

/** Converts a void verdict to a failure, which is retried. Only its message states the cost of models. */
const toFailure = ({ verdict, events }: AttemptOutcome): RemediumError => {
  const { code = 'defect', reason, blame = 'harness' } = verdict
  return new RemediumError(code as 'defect', `${reason}${costText(events)}`, { blame })
}

interface Attempt {
  readonly job: RunJob
  readonly incident: Incident
  readonly labCluster: LabCluster
  readonly record: KeptRecord
}

const letSolverTry = async (
  { job, incident, record }: Attempt,
  { signal, stage, alive }: Context,
  faults: WorkerTools['faults'],
  { solver, close }: OpenSolver,
): Promise<FinishedEpisode> => {
  const { problem, planned } = job
  let reportedVerdict: ReportedVerdict | undefined
  try {
    stage('starting the agent')
    const trying = incident.attempt(solver, {
      furtherCheck: job.settings.checksLikeMicroRemed ? checkLikeMicroRemed : undefined,
      sink(event) {
        record.sink(event)
        const activity = activityIn(event)
        if (activity !== undefined) stage(activity)
      },
    })
    const maxMs = problem.budget.seconds * 1000 + JUDGING_MS + maxFaultTimeOf(problem)
    const outcome = await withHeartbeat(alive, maxMs, trying)
    if (outcome.verdict.outcome === 'void') throw toFailure(outcome)
    const result = toEpisodeResult(planned, outcome.events, faults)
    // After an abort, another worker may play the same episode, so this record must not be kept.
    signal.throwIfAborted()
    record.finish()
    // Set last: without a record the verdict does not count, and the episode is played again.
    reportedVerdict = toReportedVerdict(outcome.verdict)
    return result
  } finally {
    if (job.settings.reportsVerdict === true) await solver.onVerdict?.(reportedVerdict)
    await close()
  }
}

/** Records the preparation if there is no solver: an attempt would have recorded it. */
const openSolverOf = async (
  { job, incident, labCluster, record }: Attempt,
  ask: Context['ask'],
  models: ModelCache,
): Promise<OpenSolver> => {
  try {
    return await openSolver(job, { incident, cluster: labCluster.cluster, models, ask })
  } catch (error) {
    const solver = job.planned.contender.name
    for (const event of incident.events)
      record.sink(event.type === 'episode-started' ? { ...event, solver } : event)
    throw error
  }
}

/** Leaves the draft of a try that fails to the process of the run, which ends and keeps it. */
const attempt = async (
  made: Attempt,
  context: Context,
  { models, faults }: WorkerTools,
): Promise<FinishedEpisode> => {
  try {
    return await letSolverTry(made, context, faults, await openSolverOf(made, context.ask, models))
  } finally {
    made.record.leave()
  }
}

export const playEpisode = async (job: RunJob, context: Context, tools: WorkerTools): Promise<void> => {
  const { problem, planned, engine, telemetry } = job
  const { signal, stage, alive, result: send } = context
  const { labClusters, faults } = tools
  const secret = defined({ secret: planned.secret })
  const opened = await labClusters.open({ problem, engine, faults, telemetry, signal, stage, ...secret })
  const { labCluster, provisionMs: provision } = opened
  const start = preciseNow()
  stage(`preparing ${problem.id}`)
  const preparing = labCluster.laboratory.prepare(problem, secret)
  const incident = await withHeartbeat(alive, maxFaultTimeOf(problem), preparing)
  labClusters.checkClock()
  const prepare = Math.round(preciseNow() - start)
  const restore = (): Promise<void> => {
    stage(`restoring ${problem.system}`)
    return labClusters.restore(incident)
  }
  try {
    const record = keepRecord(job.record)
    const result = await attempt({ job, incident, labCluster, record }, context, tools)
    send({ ...result, stages: { ...result.stages, provision, prepare } })
  } catch (error) {
    // A lab cluster that may be broken is closed, not restored.
    if (!mayHaveBrokenCluster(error)) await restore()
    throw error
  }
  await restore()
}

export const createEpisodePlayer = (): JobServer<RunJob, FinishedEpisode> => {
  const faults = lazily(loadFaults)
  const models = createModelCache()
  const labClusters = createLabClusterKeeper()
  return {
    close: labClusters.close,
    run: async (job, context) => playEpisode(job, context, { labClusters, models, faults: await faults() }),
  }
}
