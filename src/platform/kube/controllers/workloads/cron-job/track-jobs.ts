/** Tracks the Jobs of a CronJob in its status, and deletes finished ones beyond the history limits. */
import type { CronJob, CronJobStatus, Job } from 'kubernetes-types/batch/v1.d.ts'
import { jobs } from '#platform/kube/kinds'
import { fromTime, isNotFound, type Stored } from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'
import { messageOf } from '../../message-of.ts'

type Outcome = 'Complete' | 'Failed'

const outcomeOf = ({ status }: Stored<Job>): Outcome | undefined =>
  status.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  )?.type as Outcome | undefined

const startOf = ({ metadata, status }: Stored<Job>): number =>
  fromTime(status.startTime ?? metadata.creationTimestamp)

const withoutActive = (status: CronJobStatus, uid: string): CronJobStatus => {
  const { active = [], ...rest } = status
  const remaining = active.filter((reference) => reference.uid !== uid)
  return remaining.length === 0 ? rest : { active: remaining, ...rest }
}

const laterTime = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && fromTime(b) > fromTime(a)) ? b : a

/** Returns the status with the active Jobs and the time of the last success updated. */
export const trackJobs = (
  { client, events }: ControllerContext,
  cronJob: Stored<CronJob>,
  owned: readonly Stored<Job>[],
): CronJobStatus => {
  let { status } = cronJob as { status: CronJobStatus }
  for (const job of owned) {
    const outcome = outcomeOf(job)
    const isActive = status.active?.some(({ uid }) => uid === job.metadata.uid) === true
    if (!isActive && outcome === undefined) {
      const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`
      events.record(cronJob, 'Warning', 'UnexpectedJob', message)
    } else if (isActive && outcome !== undefined) {
      status = withoutActive(status, job.metadata.uid)
      const message = `Saw completed job: ${job.metadata.name}, condition: ${outcome}`
      events.record(cronJob, 'Normal', 'SawCompletedJob', message)
    }
    if (outcome === 'Complete') {
      const lastSuccessfulTime = laterTime(status.lastSuccessfulTime, job.status.completionTime)
      if (lastSuccessfulTime !== undefined) status = { ...status, lastSuccessfulTime }
    }
  }
  for (const { namespace = '', name = '', uid = '' } of status.active ?? []) {
    if (client.get(jobs, namespace, name)?.metadata.uid === uid) continue
    events.record(cronJob, 'Normal', 'MissingJob', `Active job went missing: ${name}`)
    status = withoutActive(status, uid)
  }
  return status
}

/** Deletes a Job and its pods. */
export const deleteJob = (
  { client, events }: ControllerContext,
  cronJob: Stored<CronJob>,
  name: string,
): void => {
  try {
    client.delete(jobs, cronJob.metadata.namespace ?? '', name, { propagation: 'Background' })
  } catch (error) {
    if (isNotFound(error)) return
    events.record(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`)
    throw error
  }
  events.record(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`)
}

/** Deletes the oldest finished Jobs beyond the two history limits. */
export const trimJobs = (
  context: ControllerContext,
  cronJob: Stored<CronJob>,
  owned: readonly Stored<Job>[],
): void => {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec
  const limits: [Outcome, number | undefined][] = [
    ['Complete', successfulJobsHistoryLimit],
    ['Failed', failedJobsHistoryLimit],
  ]
  for (const [outcome, limit] of limits) {
    if (limit === undefined) continue
    const finished = owned.filter((job) => outcomeOf(job) === outcome).sort((a, b) => startOf(a) - startOf(b))
    for (const job of finished.slice(0, Math.max(0, finished.length - limit)))
      deleteJob(context, cronJob, job.metadata.name)
  }
}
