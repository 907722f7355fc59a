/** The CronJob kind. */
import type { CronJob, CronJobSpec, JobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { ageOf, type FieldError, invalid, notSupported, required, type Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { withNullTime } from '../pods/pod-spec-defaults.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { goSelector } from '../validation/go-text.ts'
import { validateNonnegative } from '../validation/number-validation.ts'
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts'
import { defaultJobTemplate } from './job-defaults.ts'
import { validateJobSpec } from './job-validation.ts'
import {
  containerCells,
  containerColumns,
  countColumn,
  jobSelectorColumn,
  selectorCell,
} from './workload-columns.ts'

/** The name of a Job appends a dash and ten digits, and may have at most 63 characters. */
const MAX_NAME_CHARACTERS = 52
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace']

const validateSchedule = (spec: CronJobSpec, old: CronJobSpec | undefined): FieldError[] => {
  const { schedule = '', timeZone } = spec
  if (schedule === '') return [required('spec.schedule')]
  const problem = scheduleProblem(schedule)
  const errors = problem === undefined ? [] : [invalid('spec.schedule', schedule, problem)]
  if (!schedule.includes('TZ')) return errors
  if (old === undefined || !old.schedule.includes('TZ'))
    errors.push(
      invalid('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'),
    )
  else if (timeZone !== undefined)
    errors.push(
      invalid('spec.schedule', schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'),
    )
  return errors
}

const validateTimeZone = (timeZone: string | undefined): FieldError[] => {
  const problem = timeZone === undefined ? undefined : timeZoneProblem(timeZone)
  return problem === undefined ? [] : [invalid('spec.timeZone', timeZone, problem)]
}

const validateConcurrency = (policy: string | undefined): FieldError[] => {
  if (policy === undefined || policy === '') return [required('spec.concurrencyPolicy')]
  return CONCURRENCY_POLICIES.includes(policy)
    ? []
    : [notSupported('spec.concurrencyPolicy', policy, CONCURRENCY_POLICIES)]
}

const validateJobTemplate = (spec: JobSpec): FieldError[] => [
  ...validateJobSpec(spec, 'spec.jobTemplate.spec'),
  ...(spec.selector === undefined
    ? []
    : [
        invalid(
          'spec.jobTemplate.spec.selector',
          goSelector(spec.selector),
          '`selector` will be auto-generated',
        ),
      ]),
  ...(spec.manualSelector === true
    ? [notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false'])]
    : []),
]

const validateName = ({ metadata }: Stored<CronJob>): FieldError[] =>
  metadata.name.length > MAX_NAME_CHARACTERS
    ? [invalid('metadata.name', metadata.name, `must be no more than ${MAX_NAME_CHARACTERS} characters`)]
    : []

export const cronJobs = defineKind<CronJob>({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  singular: 'cronjob',
  shortNames: ['cj'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  defaults(cron) {
    cron.spec ??= {} as CronJobSpec
    const { spec } = cron
    const job = spec.jobTemplate?.spec ?? ({} as JobSpec)
    spec.concurrencyPolicy ||= 'Allow'
    spec.suspend ??= false
    defaultJobTemplate(job)
    spec.jobTemplate = { metadata: withNullTime(spec.jobTemplate?.metadata), spec: job }
    spec.successfulJobsHistoryLimit ??= 3
    spec.failedJobsHistoryLimit ??= 1
  },
  prepareCreate(cron) {
    cron.status = {}
  },
  validate: (cron, old) => [
    ...validateSchedule(cron.spec, old?.spec),
    ...validateNonnegative(cron.spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'),
    ...validateTimeZone(cron.spec.timeZone),
    ...validateConcurrency(cron.spec.concurrencyPolicy),
    ...validateJobTemplate(cron.spec.jobTemplate.spec!),
    ...validateNonnegative(cron.spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'),
    ...validateNonnegative(cron.spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'),
    ...(old === undefined ? validateName(cron) : []),
  ],
  columns: [
    nameColumn,
    textColumn('Schedule', 'The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.'),
    textColumn(
      'Timezone',
      'The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones',
    ),
    {
      ...textColumn(
        'Suspend',
        'This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.',
      ),
      type: 'boolean',
    },
    countColumn('Active', 'A list of pointers to currently running jobs.'),
    textColumn('Last Schedule', 'Information when was the last time the job was successfully scheduled.'),
    ageColumn,
    ...containerColumns,
    jobSelectorColumn,
  ],
  row: (cron, context) => [
    cron.metadata.name,
    cron.spec.schedule,
    cron.spec.timeZone ?? '<none>',
    cron.spec.suspend === undefined ? '<unset>' : cron.spec.suspend ? 'True' : 'False',
    (cron.status.active ?? []).length,
    cron.status.lastScheduleTime === undefined ? '<none>' : ageOf(cron.status.lastScheduleTime, context.now),
    ageCell(cron, context),
    ...containerCells(cron.spec.jobTemplate.spec?.template.spec),
    selectorCell(cron.spec.jobTemplate.spec?.selector),
  ],
})
