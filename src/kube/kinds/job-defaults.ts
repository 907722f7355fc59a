/** What the server fills in for a Job. */
import type { JobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { defaultTemplate } from './pod-spec-defaults.ts'

const LARGEST_INT32 = 2 ** 31 - 1

/** What Jobs and the templates of CronJobs have in common. */
export const defaultJobTemplate = (spec: JobSpec): void => {
  spec.template = defaultTemplate(spec.template)
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const condition of rule.onPodConditions ?? []) condition.status ||= 'True'
  }
}

export const defaultJobSpec = (spec: JobSpec): void => {
  defaultJobTemplate(spec)
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
  spec.parallelism ??= 1
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : LARGEST_INT32
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.manualSelector ??= false
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'
}
