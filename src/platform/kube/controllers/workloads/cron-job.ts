/** The CronJob controller: starts Jobs on a schedule. */
import type { CronJob, CronJobStatus, Job } from 'kubernetes-types/batch/v1.d.ts'
import { defined } from '#kit'
import { cronJobs, jobs } from '#platform/kube/kinds'
import { controlledBy, type Draft, fromTime, isAlreadyExists, type Stored, toTime } from '#platform/kube/meta'
import { type ControllerContext, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { messageOf } from '../message-of.ts'
import { isTimeZone, parseSchedule, type Schedule, toZonedTime } from './cron-job/parse-schedule.ts'
import { deleteJob, trackJobs, trimJobs } from './cron-job/track-jobs.ts'
import { isNamespaceTerminating } from './ownership/owned-pods.ts'
import { ownerKey } from './ownership/watching-owned.ts'
import { isTerminating } from './replicas/pod-availability.ts'

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
/** Added to a start time, so that the timer never fires before it. */
const WAKE_DELAY_MS = 100
/** If more start times are missed, the controller records a warning. */
const MAX_MISSED_STARTS = 100

const jobName = ({ metadata }: Stored<CronJob>, time: number): string =>
  `${metadata.name}-${Math.floor(time / 60_000)}`

const jobFor = (cronJob: Stored<CronJob>, time: number): Draft<Job> => {
  const { metadata = {}, spec } = cronJob.spec.jobTemplate
  return {
    metadata: {
      name: jobName(cronJob, time),
      ...defined({ namespace: cronJob.metadata.namespace, labels: metadata.labels }),
      annotations: { ...metadata.annotations, [SCHEDULED_AT]: toZonedTime(time, cronJob.spec.timeZone) },
      ownerReferences: [controlledBy(cronJob)],
    },
    ...defined({ spec }),
  }
}

/** Parses the schedule; records an event and returns undefined if it is invalid. */
const scheduleOf = ({ events }: ControllerContext, cronJob: Stored<CronJob>): Schedule | undefined => {
  const { schedule, timeZone } = cronJob.spec
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const message = `invalid timeZone: "${timeZone}": unknown time zone ${timeZone}`
    events.record(cronJob, 'Warning', 'UnknownTimeZone', message)
    return undefined
  }
  try {
    return parseSchedule(schedule, timeZone)
  } catch (error) {
    const message = `unparseable schedule: "${schedule}" : ${messageOf(error)}`
    events.record(cronJob, 'Warning', 'UnparseableSchedule', message)
    return undefined
  }
}

/** Returns the latest start time that is due. Earlier missed start times are skipped. */
const dueTime = (
  { clock, events }: ControllerContext,
  cronJob: Stored<CronJob>,
  schedule: Schedule,
): number | undefined => {
  const now = clock.now()
  const { startingDeadlineSeconds } = cronJob.spec
  const lastStart = fromTime(cronJob.status.lastScheduleTime ?? cronJob.metadata.creationTimestamp)
  const oldest =
    startingDeadlineSeconds === undefined
      ? lastStart
      : Math.max(lastStart, now - startingDeadlineSeconds * 1000)
  const first = schedule.next(oldest)
  if (first === undefined || first > now) return undefined
  const second = schedule.next(first)
  if (second === undefined || second > now) return first
  if (Math.floor((now - first) / (second - first)) + 1 > MAX_MISSED_STARTS) {
    const message =
      'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew'
    events.record(cronJob, 'Warning', 'TooManyMissedTimes', message)
  }
  return schedule.latest(first, now)
}

const isTooLate = ({ clock, events }: ControllerContext, cronJob: Stored<CronJob>, time: number): boolean => {
  const { startingDeadlineSeconds } = cronJob.spec
  if (startingDeadlineSeconds === undefined || time + startingDeadlineSeconds * 1000 >= clock.now())
    return false
  const when = new Date(time).toUTCString().replace('GMT', '+0000')
  events.record(cronJob, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${when}`)
  return true
}

/** Applies the concurrency policy; returns undefined if the Job must not start. */
const applyConcurrencyPolicy = (
  context: ControllerContext,
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
): CronJobStatus | undefined => {
  const { active = [], ...rest } = status
  if (active.length === 0) return status
  if (cronJob.spec.concurrencyPolicy === 'Forbid') {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    context.events.record(cronJob, 'Normal', 'JobAlreadyActive', message)
    return undefined
  }
  if (cronJob.spec.concurrencyPolicy !== 'Replace') return status
  for (const { name = '' } of active) deleteJob(context, cronJob, name)
  return rest
}

const startJob = (
  { client, events }: ControllerContext,
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
  time: number,
): CronJobStatus => {
  const lastScheduleTime = toTime(time)
  try {
    const job = client.create(jobs, jobFor(cronJob, time))
    const { namespace = '', name, uid, resourceVersion } = job.metadata
    events.record(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${name}`)
    const reference = { kind: 'Job', namespace, name, uid, apiVersion: jobs.apiVersion, resourceVersion }
    return { ...status, active: [...(status.active ?? []), reference], lastScheduleTime }
  } catch (error) {
    if (isNamespaceTerminating(error)) return status
    if (isAlreadyExists(error)) return { ...status, lastScheduleTime }
    events.record(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`)
    throw error
  }
}

/** Starts the Job that is due and requeues the CronJob for the next start time. */
const runSchedule = (
  context: ControllerContext,
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
): CronJobStatus => {
  const schedule = scheduleOf(context, cronJob)
  if (schedule === undefined) return status
  const now = context.clock.now()
  const next = schedule.next(now)
  if (next !== undefined) context.requeue(keyOf(cronJob), next - now + WAKE_DELAY_MS)
  const time = dueTime(context, cronJob, schedule)
  if (time === undefined || isTooLate(context, cronJob, time)) return status
  const startStatus = applyConcurrencyPolicy(context, cronJob, status)
  return startStatus === undefined ? status : startJob(context, cronJob, startStatus, time)
}

export const cronJobController = defineController({
  name: 'cronjob',
  watches: [
    watching(cronJobs, ({ object }) => [keyOf(object)]),
    watching(jobs, ({ object }) => {
      const key = ownerKey(cronJobs, object)
      return key === undefined ? [] : [key]
    }),
  ],
  reconcile(key, context) {
    const { client } = context
    const { namespace, name } = splitKey(key)
    const cronJob = client.get(cronJobs, namespace, name)
    if (cronJob === undefined) return
    const tracked = trackJobs(context, cronJob, client.ownedBy(jobs, cronJob.metadata.uid))
    const isIdle = isTerminating(cronJob) || cronJob.spec.suspend === true
    const status = isIdle ? tracked : runSchedule(context, cronJob, tracked)
    client.updateStatus(cronJobs, { ...cronJob, status })
    trimJobs(context, cronJob, client.ownedBy(jobs, cronJob.metadata.uid))
  },
})
