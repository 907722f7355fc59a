/** Whether a Job is decided, and why. */
import type { Job, JobCondition } from 'kubernetes-types/batch/v1.d.ts'
import { fromTime, type Stored } from '../../meta/index.ts'
import { parseIndexes } from './index-list.ts'
import { isIndexed } from './job-pod.ts'
import type { Stock } from './take-stock.ts'

export interface Outcome {
  success: boolean
  reason: string
  message: string
}

const failure = (reason: string, message: string): Outcome => ({ success: false, reason, message })

export const conditionOf = ({ status }: Stored<Job>, type: string): JobCondition | undefined =>
  status.conditions?.find((condition) => condition.type === type && condition.status === 'True')

/** Decided in an earlier reconcile, and only waiting for its pods to go. */
const alreadyDecided = (job: Stored<Job>): Outcome | undefined => {
  const success = conditionOf(job, 'SuccessCriteriaMet')
  const decided = success ?? conditionOf(job, 'FailureTarget')
  return (
    decided && { success: decided === success, reason: decided.reason ?? '', message: decided.message ?? '' }
  )
}

/** Pods that restart in place spend the back-off limit with their restarts. */
const tooManyRestarts = ({ job, active }: Stock): boolean => {
  if (job.spec.template.spec?.restartPolicy !== 'OnFailure') return false
  const restarts = active
    .flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0)
  const limit = job.spec.backoffLimit ?? 6
  return limit === 0 ? restarts > 0 : restarts >= limit
}

/** Milliseconds until the Job's deadline; undefined where none runs. */
export const timeToDeadline = ({ spec, status }: Stored<Job>, now: number): number | undefined =>
  spec.activeDeadlineSeconds === undefined || status.startTime === undefined || spec.suspend === true
    ? undefined
    : fromTime(status.startTime) + spec.activeDeadlineSeconds * 1000 - now

const indexFailure = ({ job, succeeded, failedIndexes }: Stock): Outcome | undefined => {
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

const policySuccess = ({ job, completedIndexes }: Stock): Outcome | undefined => {
  const index = (job.spec.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return completedIndexes.size >= (succeededCount ?? Number.POSITIVE_INFINITY)
    const wanted = parseIndexes(succeededIndexes)
    const met = [...wanted].filter((wantedIndex) => completedIndexes.has(wantedIndex))
    return met.length >= (succeededCount ?? wanted.size)
  })
  return index < 0
    ? undefined
    : { success: true, reason: 'SuccessPolicy', message: `Matched rules at index ${index}` }
}

/** The reason to stop before all is done, if there is one. */
export const decideEarly = (stock: Stock, now: number): Outcome | undefined => {
  const { job, failed, failJob } = stock
  const decided = alreadyDecided(job)
  if (decided !== undefined) return decided
  if (failJob !== undefined) return failure('PodFailurePolicy', failJob)
  if (failed > (job.spec.backoffLimit ?? 6) || tooManyRestarts(stock)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  const left = timeToDeadline(job, now)
  if (left !== undefined && left <= 0) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline')
  }
  return isIndexed(job) ? (indexFailure(stock) ?? policySuccess(stock)) : undefined
}

/** All that was asked for is done and nothing runs any more. */
export const decideCompletion = ({ job, succeeded }: Stock, active: number): Outcome | undefined => {
  if (active > 0) return undefined
  const { completions } = job.spec
  const complete = completions === undefined ? succeeded > 0 : succeeded >= completions
  if (!complete) return undefined
  return { success: true, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
}
