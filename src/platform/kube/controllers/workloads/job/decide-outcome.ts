/** Decides whether a Job has succeeded or failed, and why. */
import type { Job, JobCondition } from 'kubernetes-types/batch/v1.d.ts'
import { fromTime, type Stored } from '#platform/kube/meta'
import { parseIndexes } from './index-list.ts'
import { isIndexed } from './job-pod.ts'
import type { JobState } from './job-state.ts'

export interface Outcome {
  success: boolean
  reason: string
  message: string
}

const failure = (reason: string, message: string): Outcome => ({ success: false, reason, message })

export const conditionOf = ({ status }: Stored<Job>, type: string): JobCondition | undefined =>
  status.conditions?.find((condition) => condition.type === type && condition.status === 'True')

/** Returns the outcome that an earlier reconcile decided. The Job then only waits for its pods to terminate. */
const earlierOutcome = (job: Stored<Job>): Outcome | undefined => {
  const success = conditionOf(job, 'SuccessCriteriaMet')
  const decided = success ?? conditionOf(job, 'FailureTarget')
  return (
    decided && { success: decided === success, reason: decided.reason ?? '', message: decided.message ?? '' }
  )
}

/** Container restarts count against the back-off limit if pods restart in place. */
const hasTooManyRestarts = ({ job, active }: JobState): boolean => {
  if (job.spec.template.spec?.restartPolicy !== 'OnFailure') return false
  const restarts = active
    .flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0)
  const limit = job.spec.backoffLimit ?? 6
  return limit === 0 ? restarts > 0 : restarts >= limit
}

/** Milliseconds until the Job's deadline, or undefined if none applies. */
export const timeToDeadline = ({ spec, status }: Stored<Job>, now: number): number | undefined =>
  spec.activeDeadlineSeconds === undefined || status.startTime === undefined || spec.suspend === true
    ? undefined
    : fromTime(status.startTime) + spec.activeDeadlineSeconds * 1000 - now

const indexFailure = ({ job, succeeded, failedIndexes }: JobState): Outcome | undefined => {
  if (job.spec.backoffLimitPerIndex === undefined) return undefined
  const { maxFailedIndexes, completions = 0 } = job.spec
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes) {
    return failure(
      'MaxFailedIndexesExceeded',
      'Job has exceeded the specified maximal number of failed indexes',
    )
  }
  return failedIndexes.size > 0 && succeeded + failedIndexes.size >= completions
    ? failure('FailedIndexes', 'Job has failed indexes')
    : undefined
}

const policySuccess = ({ job, completedIndexes }: JobState): Outcome | undefined => {
  const index = (job.spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return completedIndexes.size >= (succeededCount ?? Number.POSITIVE_INFINITY)
    const required = parseIndexes(succeededIndexes)
    const met = [...required].filter((requiredIndex) => completedIndexes.has(requiredIndex))
    return met.length >= (succeededCount ?? required.size)
  })
  return index < 0
    ? undefined
    : { success: true, reason: 'SuccessPolicy', message: `Matched rules at index ${index}` }
}

/** Returns the outcome that ends the Job before all completions, if any. */
export const decideEarly = (state: JobState, now: number): Outcome | undefined => {
  const { job, failed, failJob } = state
  const decided = earlierOutcome(job)
  if (decided !== undefined) return decided
  if (failJob !== undefined) return failure('PodFailurePolicy', failJob)
  if (failed > (job.spec.backoffLimit ?? 6) || hasTooManyRestarts(state)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  const remainingMs = timeToDeadline(job, now)
  if (remainingMs !== undefined && remainingMs <= 0) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline')
  }
  return isIndexed(job) ? (indexFailure(state) ?? policySuccess(state)) : undefined
}

/** Returns success once all completions are reached and no pod is active. */
export const decideCompletion = ({ job, succeeded }: JobState, active: number): Outcome | undefined => {
  if (active > 0) return undefined
  const { completions } = job.spec
  const isComplete = completions === undefined ? succeeded > 0 : succeeded >= completions
  if (!isComplete) return undefined
  return { success: true, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
}
