/** CronJob. */
import type { CronJob, CronJobSpec, JobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { ageOf, type FieldError, invalid, notSupported, required, type Stored } from '../meta/index.ts'
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts'
import { defineKind } from './define-kind.ts'
import { goSelector } from './go-text.ts'
import { defaultJobTemplate } from './job-defaults.ts'
import { validateJobSpec } from './job-validation.ts'
import { validateNonnegative } from './number-validation.ts'
import { withNullTime } from './pod-spec-defaults.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'
import {
  containerCells,
  containerColumns,
  countColumn,
  selectorCell,
  selectorColumn,
} from './workload-columns.ts'

/** Names of its Jobs end in a dash and ten digits, and must still be good names of pods. */
const LONGEST_NAME = 52
const CONCURRENCY = ['Allow', 'Forbid', 'Replace']

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
  return CONCURRENCY.includes(policy) ? [] : [notSupported('spec.concurrencyPolicy', policy, CONCURRENCY)]
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
  metadata.name.length > LONGEST_NAME
    ? [invalid('metadata.name', metadata.name, `must be no more than ${LONGEST_NAME} characters`)]
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
    textColumn('Schedule', 'When Jobs are started.'),
    textColumn('Timezone', 'The time zone of the schedule.'),
    { ...textColumn('Suspend', 'Whether no further Jobs are started.'), type: 'boolean' },
    countColumn('Active', 'Jobs that run now.'),
    textColumn('Last Schedule', 'Time since a Job was last started.'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
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
