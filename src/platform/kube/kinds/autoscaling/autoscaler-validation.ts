/** Validates the spec of a HorizontalPodAutoscaler. */
import type { HorizontalPodAutoscalerSpec, HPAScalingRules } from 'kubernetes-types/autoscaling/v2.d.ts'
import { type FieldError, invalid, notSupported, required } from '#platform/kube/meta'
import { validateMetric, validateReference } from './autoscaler-metric-validation.ts'

const MAX_WINDOW_SECONDS = 3600
const MAX_PERIOD_SECONDS = 1800

const validateRules = (rules: HPAScalingRules | undefined, path: string): FieldError[] => {
  if (rules === undefined) return []
  const { stabilizationWindowSeconds: window = 0, selectPolicy = 'Max', policies = [] } = rules
  const errors: FieldError[] = []
  if (window < 0)
    errors.push(
      invalid(`${path}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero'),
    )
  if (window > MAX_WINDOW_SECONDS)
    errors.push(
      invalid(
        `${path}.stabilizationWindowSeconds`,
        window,
        `must be less than or equal to ${MAX_WINDOW_SECONDS}`,
      ),
    )
  if (!['Disabled', 'Max', 'Min'].includes(selectPolicy))
    errors.push(notSupported(`${path}.selectPolicy`, selectPolicy, ['Disabled', 'Max', 'Min']))
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'))
  policies.forEach(({ type = '', value = 0, periodSeconds = 0 }, index) => {
    const policyPath = `${path}.policies[${index}]`
    if (type !== 'Percent' && type !== 'Pods')
      errors.push(notSupported(`${policyPath}.type`, type, ['Percent', 'Pods']))
    if (value <= 0) errors.push(invalid(`${policyPath}.value`, value, 'must be greater than zero'))
    if (periodSeconds <= 0)
      errors.push(invalid(`${policyPath}.periodSeconds`, periodSeconds, 'must be greater than zero'))
    if (periodSeconds > MAX_PERIOD_SECONDS)
      errors.push(
        invalid(
          `${policyPath}.periodSeconds`,
          periodSeconds,
          `must be less than or equal to ${MAX_PERIOD_SECONDS}`,
        ),
      )
  })
  return errors
}

export const validateAutoscalerSpec = (spec: HorizontalPodAutoscalerSpec): FieldError[] => {
  const { minReplicas, maxReplicas = 0, metrics = [], behavior } = spec
  return [
    ...(minReplicas !== undefined && minReplicas < 1
      ? [invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')]
      : []),
    ...(maxReplicas < 1 ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0')] : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateReference(spec.scaleTargetRef ?? {}, 'spec.scaleTargetRef'),
    ...metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
    ...validateRules(behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...validateRules(behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ]
}
