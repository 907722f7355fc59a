/** Writes the status of a Job: its counts, and the conditions for suspension, outcome and completion. */
import type { Job, JobCondition, JobStatus } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { isPodReady, isPodTerminal, jobs, pods } from '#platform/kube/kinds'
import { type Stored, toTime } from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'
import { isTerminating } from '../replicas/pod-availability.ts'
import { type Counted, indexStatus } from './count-pods.ts'
import { conditionOf, type Outcome } from './decide-outcome.ts'
import type { JobState } from './job-state.ts'

const condition = (
  fields: Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: number,
): JobCondition => {
  const { reason, message, ...head } = fields
  const time = toTime(now)
  return { ...head, lastProbeTime: time, lastTransitionTime: time, ...defined({ reason, message }) }
}

/** Sets the Suspended condition and records an event when the Job is suspended or resumed. */
const withSuspension = ({ events, clock }: ControllerContext, job: Stored<Job>): JobCondition[] => {
  const conditions = job.status.conditions ?? []
  const suspended = conditionOf(job, 'Suspended') !== undefined
  const suspend = job.spec.suspend === true
  if (suspended === suspend) return conditions
  const [reason, eventReason, message] = suspend
    ? (['JobSuspended', 'Suspended', 'Job suspended'] as const)
    : (['JobResumed', 'Resumed', 'Job resumed'] as const)
  events.record(job, 'Normal', eventReason, message)
  const next = condition(
    { type: 'Suspended', status: suspend ? 'True' : 'False', reason, message },
    clock.now(),
  )
  return conditions.some(({ type }) => type === 'Suspended')
    ? conditions.map((existing) => (existing.type === 'Suspended' ? next : existing))
    : [...conditions, next]
}

/** Sets the condition of the decision, and the final condition once no pod is terminating. */
const withOutcome = (
  job: Stored<Job>,
  outcome: Outcome,
  terminating: number,
  now: number,
): JobCondition[] => {
  const { success, reason, message } = outcome
  const conditions = job.status.conditions ?? []
  const decision = success ? 'SuccessCriteriaMet' : 'FailureTarget'
  const decided =
    conditionOf(job, decision) === undefined
      ? [...conditions, condition({ type: decision, status: 'True', reason, message }, now)]
      : conditions
  return terminating > 0
    ? decided
    : [...decided, condition({ type: success ? 'Complete' : 'Failed', status: 'True', reason, message }, now)]
}

const recordEnd = ({ events }: ControllerContext, { job, succeeded }: Counted, outcome: Outcome): void => {
  if (!outcome.success) {
    events.record(job, 'Warning', outcome.reason, outcome.message)
    return
  }
  if (succeeded > (job.spec.completions ?? Number.POSITIVE_INFINITY)) {
    const message = 'Too many succeeded pods running after completion count reached'
    events.record(job, 'Warning', 'TooManySucceededPods', message)
  }
  events.record(job, 'Normal', 'Completed', 'Job completed')
}

interface StatusInput {
  counted: Counted
  state: JobState
  active: readonly Stored<Pod>[]
  outcome: Outcome | undefined
}

export const writeStatus = (context: ControllerContext, input: StatusInput): void => {
  const { counted, state, active, outcome } = input
  const { job, succeeded, failed } = counted
  const now = context.clock.now()
  const terminating = context.client
    .ownedBy(pods, job.metadata.uid)
    .filter((pod) => isTerminating(pod) && !isPodTerminal(pod)).length
  const conditions =
    outcome === undefined ? withSuspension(context, job) : withOutcome(job, outcome, terminating, now)
  const hasEnded = outcome !== undefined && terminating === 0
  const { startTime } = state.job.status
  const status: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...defined({ startTime }),
    ...(hasEnded && outcome.success ? { completionTime: toTime(now) } : {}),
    ...(active.length === 0 ? {} : { active: active.length }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    terminating,
    ...indexStatus(state),
    uncountedTerminatedPods: {},
    ready: active.filter(isPodReady).length,
  }
  context.client.updateStatus(jobs, { ...job, status })
  if (hasEnded) recordEnd(context, counted, outcome)
}
