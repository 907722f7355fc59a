/** Validates job specs, in Jobs and in the job templates of CronJobs. */
import type { JobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { type FieldError, invalid, notSupported, required } from '#platform/kube/meta'
import { validateTemplate } from '../pods/pod-template-validation.ts'
import { validateNonnegative } from '../validation/number-validation.ts'
import { validateFailurePolicy } from './pod-failure-policy-validation.ts'

const MAX_INDEXED_PODS = 100_000

const validateCompletionMode = (spec: JobSpec, field: string): FieldError[] => {
  const { completionMode: mode, completions, parallelism = 0 } = spec
  if (mode === undefined || mode === 'NonIndexed') return []
  if (mode !== 'Indexed') return [notSupported(`${field}.completionMode`, mode, ['NonIndexed', 'Indexed'])]
  return [
    ...(completions === undefined
      ? [required(`${field}.completions`, 'when completion mode is Indexed')]
      : []),
    ...(parallelism > MAX_INDEXED_PODS
      ? [
          invalid(
            `${field}.parallelism`,
            parallelism,
            `must be less than or equal to ${MAX_INDEXED_PODS} when completion mode is Indexed`,
          ),
        ]
      : []),
  ]
}

const validateIndexLimits = (spec: JobSpec, field: string): FieldError[] => {
  const { backoffLimitPerIndex: perIndex, maxFailedIndexes: maxFailed } = spec
  const errors = [
    ...validateNonnegative(perIndex, `${field}.backoffLimitPerIndex`),
    ...validateNonnegative(maxFailed, `${field}.maxFailedIndexes`),
  ]
  if (perIndex !== undefined && spec.completionMode !== 'Indexed')
    errors.push(invalid(`${field}.backoffLimitPerIndex`, perIndex, 'requires indexed completion mode'))
  if (maxFailed === undefined) return errors
  if (spec.completions !== undefined && maxFailed > spec.completions)
    errors.push(invalid(`${field}.maxFailedIndexes`, maxFailed, 'must be less than or equal to completions'))
  if (perIndex === undefined)
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
  return errors
}

const validateReplacementPolicy = (spec: JobSpec, field: string): FieldError[] => {
  const { podReplacementPolicy: policy, podFailurePolicy } = spec
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  return policy === undefined || supported.includes(policy)
    ? []
    : [notSupported(`${field}.podReplacementPolicy`, policy, supported)]
}

const validateRestartPolicy = (spec: JobSpec, field: string): FieldError[] => {
  const policy = spec.template.spec?.restartPolicy
  if (policy !== 'OnFailure' && policy !== 'Never')
    return [required(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')]
  return spec.podFailurePolicy !== undefined && policy !== 'Never'
    ? [
        invalid(
          `${field}.template.spec.restartPolicy`,
          policy,
          'only "Never" is supported when podFailurePolicy is specified',
        ),
      ]
    : []
}

export const validateJobSpec = (spec: JobSpec, field: string): FieldError[] => [
  ...validateNonnegative(spec.parallelism, `${field}.parallelism`),
  ...validateNonnegative(spec.completions, `${field}.completions`),
  ...validateNonnegative(spec.activeDeadlineSeconds, `${field}.activeDeadlineSeconds`),
  ...validateNonnegative(spec.backoffLimit, `${field}.backoffLimit`),
  ...validateNonnegative(spec.ttlSecondsAfterFinished, `${field}.ttlSecondsAfterFinished`),
  ...validateIndexLimits(spec, field),
  ...validateCompletionMode(spec, field),
  ...validateFailurePolicy(spec, `${field}.podFailurePolicy`),
  ...validateReplacementPolicy(spec, field),
  ...validateTemplate(spec.template, `${field}.template`),
  ...validateRestartPolicy(spec, field),
]
