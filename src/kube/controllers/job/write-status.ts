/** The status of a Job: its numbers, and the conditions with which it is suspended, decided and finished. */
import type { Job, JobCondition, JobStatus } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { isPodReady, isPodTerminal, jobs, pods } from '../../kinds/index.ts'
import { type Stored, toTime } from '../../meta/index.ts'
import type { ControllerContext } from '../define-controller.ts'
import { isTerminating } from '../workload/pod-availability.ts'
import { type Counted, indexStatus } from './count-pods.ts'
import { conditionOf, type Outcome } from './decide-outcome.ts'
import type { Stock } from './take-stock.ts'

const condition = (
  type: string,
  status: string,
  reason: string,
  message: string,
  now: number,
): JobCondition => {
  const time = toTime(now)
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message }
}

/** Suspending and resuming leave a condition, and an event when they happen. */
const withSuspension = ({ events, clock }: ControllerContext, job: Stored<Job>): JobCondition[] => {
  const conditions = job.status.conditions ?? []
  const suspended = conditionOf(job, 'Suspended') !== undefined
  const suspend = job.spec.suspend === true
  if (suspended === suspend) return conditions
  const [reason, verb, message] = suspend
    ? (['JobSuspended', 'Suspended', 'Job suspended'] as const)
    : (['JobResumed', 'Resumed', 'Job resumed'] as const)
  events.record(job, 'Normal', verb, message)
  const next = condition('Suspended', suspend ? 'True' : 'False', reason, message, clock.now())
  return conditions.some(({ type }) => type === 'Suspended')
    ? conditions.map((known) => (known.type === 'Suspended' ? next : known))
    : [...conditions, next]
}

/** First the decision, and once no pod is left the end itself. */
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
      ? [...conditions, condition(decision, 'True', reason, message, now)]
      : conditions
  return terminating > 0
    ? decided
    : [...decided, condition(success ? 'Complete' : 'Failed', 'True', reason, message, now)]
}

const announceEnd = ({ events }: ControllerContext, { job, succeeded }: Counted, outcome: Outcome): void => {
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

export const writeStatus = (
  context: ControllerContext,
  counted: Counted,
  stock: Stock,
  active: readonly Stored<Pod>[],
  outcome: Outcome | undefined,
): void => {
  const { job, succeeded, failed } = counted
  const now = context.clock.now()
  const terminating = context.client
    .ownedBy(pods, job.metadata.uid)
    .filter((pod) => isTerminating(pod) && !isPodTerminal(pod)).length
  const conditions =
    outcome === undefined ? withSuspension(context, job) : withOutcome(job, outcome, terminating, now)
  const ended = outcome !== undefined && terminating === 0
  const { startTime } = stock.job.status
  const status: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(ended && outcome.success ? { completionTime: toTime(now) } : {}),
    ...(active.length === 0 ? {} : { active: active.length }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    terminating,
    ...indexStatus(stock),
    uncountedTerminatedPods: {},
    ready: active.filter(isPodReady).length,
  }
  context.client.updateStatus(jobs, { ...job, status })
  if (ended) announceEnd(context, counted, outcome)
}
