/** Validates the pod failure policy of a Job. */
import type { JobSpec, PodFailurePolicyRule } from 'kubernetes-types/batch/v1.d.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '#platform/kube/meta'
import { goStruct } from '../validation/go-text.ts'
import { validateLabelName } from '../validation/label-selector-validation.ts'

const MAX_RULES = 20
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']

const validateExitCodes = (
  codes: NonNullable<PodFailurePolicyRule['onExitCodes']>,
  containers: ReadonlySet<string>,
  field: string,
): FieldError[] => {
  const { operator = '', values = [], containerName } = codes
  const errors: FieldError[] = []
  if (operator === '') errors.push(required(`${field}.operator`))
  else if (operator !== 'In' && operator !== 'NotIn')
    errors.push(notSupported(`${field}.operator`, operator, ['In', 'NotIn']))
  if (containerName !== undefined && !containers.has(containerName))
    errors.push(
      invalid(
        `${field}.containerName`,
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    )
  if (values.length === 0) errors.push(invalid(`${field}.values`, values, 'at least one value is required'))
  values.forEach((value, index) => {
    if (operator === 'In' && value === 0)
      errors.push(invalid(`${field}.values[${index}]`, value, 'must not be 0 for the In operator'))
    if (values.indexOf(value) < index) errors.push(duplicate(`${field}.values[${index}]`, value))
    if (index > 0 && values[index - 1]! > value)
      errors.push(invalid(`${field}.values`, values, 'must be ordered'))
  })
  return errors
}

const validateRule = (
  rule: PodFailurePolicyRule,
  spec: JobSpec,
  containers: ReadonlySet<string>,
  field: string,
): FieldError[] => {
  const { action = '', onExitCodes, onPodConditions = [] } = rule
  const errors: FieldError[] = []
  if (action === '') errors.push(required(`${field}.action`))
  else if (!ACTIONS.includes(action)) errors.push(notSupported(`${field}.action`, action, ACTIONS))
  else if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    errors.push(invalid(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'))
  if (onExitCodes !== undefined)
    errors.push(...validateExitCodes(onExitCodes, containers, `${field}.onExitCodes`))
  onPodConditions.forEach(({ type = '', status = '' }, index) => {
    const path = `${field}.onPodConditions[${index}]`
    errors.push(...validateLabelName(type, `${path}.type`))
    if (!['False', 'True', 'Unknown'].includes(status))
      errors.push(notSupported(`${path}.status`, status, ['False', 'True', 'Unknown']))
  })
  const reject = (detail: string): void => {
    errors.push(invalid(field, goStruct('batch.PodFailurePolicyRule', rule), detail))
  }
  if (onExitCodes !== undefined && onPodConditions.length > 0)
    reject('specifying both OnExitCodes and OnPodConditions is not supported')
  if (onExitCodes === undefined && onPodConditions.length === 0)
    reject('specifying one of OnExitCodes and OnPodConditions is required')
  return errors
}

export const validateFailurePolicy = (spec: JobSpec, field: string): FieldError[] => {
  if (spec.podFailurePolicy === undefined) return []
  const rules = spec.podFailurePolicy.rules ?? []
  if (rules.length === 0) return [required(`${field}.rules`, 'at least one rule is required')]
  if (rules.length > MAX_RULES)
    return [
      {
        field: `${field}.rules`,
        reason: 'FieldValueTooMany',
        message: `Too many: ${rules.length}: must have at most ${MAX_RULES} items`,
      },
    ]
  const pod = spec.template.spec
  const containers = new Set(
    [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map(({ name }) => name),
  )
  return rules.flatMap((rule, index) => validateRule(rule, spec, containers, `${field}.rules[${index}]`))
}
