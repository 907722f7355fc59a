/** The Job kind. */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { deepEqual } from '#kit'
import { type FieldError, fromTime, humanDuration, invalid, required, type Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { validateSelectorMatch, validateUnchangedSelector } from '../pods/pod-template-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { goStruct } from '../validation/go-text.ts'
import { validateLabelSelector } from '../validation/label-selector-validation.ts'
import { defaultJobSpec } from './job-defaults.ts'
import { generateSelector, validateGeneratedSelector } from './job-selector.ts'
import { validateJobSpec } from './job-validation.ts'
import { containerCells, containerColumns, jobSelectorColumn, selectorCell } from './workload-columns.ts'

const validateImmutableField = (
  spec: JobSpec,
  old: JobSpec,
  member: keyof JobSpec,
  type: string,
): FieldError[] => {
  if (deepEqual(spec[member], old[member])) return []
  const value = spec[member]
  const displayed = typeof value === 'object' ? goStruct(type, value) : (value ?? null)
  return [invalid(`spec.${member}`, displayed, 'field is immutable')]
}

const validateCompletions = (spec: JobSpec, old: JobSpec): FieldError[] => {
  if (spec.completionMode !== 'Indexed') return validateImmutableField(spec, old, 'completions', '')
  const unchanged = spec.completions === undefined || spec.completions === old.completions
  return unchanged || spec.completions === spec.parallelism
    ? []
    : [invalid('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism')]
}

/** The scheduling fields of the template may change while a Job is suspended and has not started. */
const withoutSchedulingFields = (spec: JobSpec): unknown => {
  const { nodeSelector, affinity, tolerations, schedulingGates, ...rest } = spec.template.spec ?? {}
  return rest
}

const validateTemplateChange = (job: Stored<Job>, old: Stored<Job>): FieldError[] =>
  old.spec.suspend === true &&
  old.status.startTime === undefined &&
  deepEqual(withoutSchedulingFields(job.spec), withoutSchedulingFields(old.spec))
    ? []
    : validateImmutableField(job.spec, old.spec, 'template', 'core.PodTemplateSpec')

const validateChange = (job: Stored<Job>, old: Stored<Job>): FieldError[] => [
  ...validateCompletions(job.spec, old.spec),
  ...validateUnchangedSelector(job.spec.selector, old.spec.selector),
  ...validateTemplateChange(job, old),
  ...validateImmutableField(job.spec, old.spec, 'completionMode', ''),
  ...validateImmutableField(job.spec, old.spec, 'podFailurePolicy', 'batch.PodFailurePolicy'),
  ...validateImmutableField(job.spec, old.spec, 'backoffLimitPerIndex', ''),
]

const hasCondition = (job: Stored<Job>, type: string): boolean =>
  job.status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false

const statusText = (job: Stored<Job>): string => {
  if (hasCondition(job, 'Complete')) return 'Complete'
  if (hasCondition(job, 'Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return (
    ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(job, type)) ?? 'Running'
  )
}

const completionsText = ({ spec, status }: Stored<Job>): string => {
  const succeeded = status.succeeded ?? 0
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`
  const parallelism = spec.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

const durationText = ({ status }: Stored<Job>, now: number): string => {
  if (status.startTime === undefined) return ''
  const end = status.completionTime === undefined ? now : fromTime(status.completionTime)
  return humanDuration(end - fromTime(status.startTime))
}

export const jobs = defineKind<Job>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  singular: 'job',
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  defaultPropagation: 'Orphan',
  defaults(job) {
    job.spec ??= {} as JobSpec
    defaultJobSpec(job.spec)
    const labels = job.spec.template.metadata?.labels ?? {}
    if (Object.keys(labels).length > 0 && Object.keys(job.metadata.labels ?? {}).length === 0)
      job.metadata.labels = { ...labels }
  },
  prepareCreate(job) {
    generateSelector(job)
    job.status = {}
  },
  validate: (job, old) => [
    ...validateGeneratedSelector(job),
    ...validateJobSpec(job.spec, 'spec'),
    ...(job.spec.selector === undefined
      ? [required('spec.selector')]
      : validateLabelSelector(job.spec.selector, 'spec.selector')),
    ...validateSelectorMatch(job.spec.selector, job.spec.template),
    ...(old === undefined ? [] : validateChange(job, old)),
  ],
  columns: [
    nameColumn,
    textColumn('Status', 'Status of the job.'),
    textColumn(
      'Completions',
      'The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.',
    ),
    textColumn('Duration', 'Time required to complete the job.'),
    ageColumn,
    ...containerColumns,
    jobSelectorColumn,
  ],
  row: (job, context) => [
    job.metadata.name,
    statusText(job),
    completionsText(job),
    durationText(job, context.now),
    ageCell(job, context),
    ...containerCells(job.spec.template.spec),
    selectorCell(job.spec.selector),
  ],
  selectableFields: ({ status }) => ({ 'status.successful': String(status.succeeded ?? 0) }),
})
