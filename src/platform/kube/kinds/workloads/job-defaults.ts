/** The defaults of a Job. */
import type { JobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { defaultTemplate } from '../pods/pod-spec-defaults.ts'

const MAX_INT32 = 2 ** 31 - 1

/** Sets the defaults that Jobs and the job templates of CronJobs share. */
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
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.manualSelector ??= false
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'
}
