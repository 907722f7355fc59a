/** Validates the metrics of a HorizontalPodAutoscaler. */
import type { MetricIdentifier, MetricSpec, MetricTarget } from 'kubernetes-types/autoscaling/v2.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  quantityOrZero,
  required,
} from '#platform/kube/meta'
import { validateLabelSelector } from '../validation/label-selector-validation.ts'

/** Maps each metric type to the field that holds its source. */
const SOURCES = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
} as const

type Reference = { kind?: string; name?: string }

export const validateReference = ({ kind = '', name = '' }: Reference, path: string): FieldError[] => {
  const validateSegment = (value: string, field: string): FieldError[] =>
    value === ''
      ? [required(field)]
      : nameProblems(value, 'path-segment').map((problem) => invalid(field, value, problem))
  return [...validateSegment(kind, `${path}.kind`), ...validateSegment(name, `${path}.name`)]
}

const validateTarget = (target: Partial<MetricTarget>, path: string): FieldError[] => {
  const { type = '', averageUtilization, value, averageValue } = target
  const errors: FieldError[] = []
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'))
  else if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  if (value !== undefined && quantityOrZero(value).nano <= 0n)
    errors.push(invalid(`${path}.value`, value, 'must be positive'))
  if (averageValue !== undefined && quantityOrZero(averageValue).nano <= 0n)
    errors.push(invalid(`${path}.averageValue`, averageValue, 'must be positive'))
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0'))
  return errors
}

const validateIdentifier = (metric: Partial<MetricIdentifier> | undefined, path: string): FieldError[] => {
  const name = metric?.name ?? ''
  return [
    ...(name === ''
      ? [required(`${path}.name`)]
      : nameProblems(name, 'path-segment').map((problem) => invalid(`${path}.name`, name, problem))),
    ...validateLabelSelector(metric?.selector, `${path}.selector`),
  ]
}

interface ResourceMetric {
  name?: string
  container?: string
  target?: MetricTarget
}

const validateResourceMetric = (
  metric: ResourceMetric,
  path: string,
  isContainerMetric: boolean,
): FieldError[] => {
  const { averageUtilization, averageValue } = metric.target ?? {}
  const errors: FieldError[] = []
  if ((metric.name ?? '') === '') errors.push(required(`${path}.name`, 'must specify a resource name'))
  if (isContainerMetric && (metric.container ?? '') === '')
    errors.push(required(`${path}.container`, 'must specify a container'))
  errors.push(...validateTarget(metric.target ?? {}, `${path}.target`))
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(
      required(
        `${path}.target.averageUtilization`,
        'must set either a target raw value or a target utilization',
      ),
    )
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(
      forbiddenField(
        `${path}.target.averageValue`,
        'may not set both a target raw value and a target utilization',
      ),
    )
  return errors
}

const validateSource = (metric: MetricSpec, path: string): FieldError[] => {
  const { resource, containerResource, pods, object, external } = metric
  if (resource !== undefined) return validateResourceMetric(resource, `${path}.resource`, false)
  if (containerResource !== undefined)
    return validateResourceMetric(containerResource, `${path}.containerResource`, true)
  if (pods !== undefined)
    return [
      ...validateIdentifier(pods.metric, `${path}.pods.metric`),
      ...validateTarget(pods.target ?? {}, `${path}.pods.target`),
      ...(pods.target?.averageValue === undefined
        ? [required(`${path}.pods.target.averageValue`, 'must specify a positive target averageValue')]
        : []),
    ]
  if (object !== undefined)
    return [
      ...validateReference(object.describedObject ?? {}, `${path}.object.describedObject`),
      ...validateIdentifier(object.metric, `${path}.object.metric`),
      ...validateTarget(object.target ?? {}, `${path}.object.target`),
      ...(object.target?.value === undefined && object.target?.averageValue === undefined
        ? [required(`${path}.object.target.averageValue`, 'must set either a target value or averageValue')]
        : []),
    ]
  if (external === undefined) return []
  const { value, averageValue } = external.target ?? {}
  return [
    ...validateIdentifier(external.metric, `${path}.external.metric`),
    ...validateTarget(external.target ?? {}, `${path}.external.target`),
    ...(value === undefined && averageValue === undefined
      ? [
          required(
            `${path}.external.target.averageValue`,
            'must set either a target value for metric or a per-pod target',
          ),
        ]
      : []),
    ...(value !== undefined && averageValue !== undefined
      ? [
          forbiddenField(
            `${path}.external.target.value`,
            'may not set both a target value for metric and a per-pod target',
          ),
        ]
      : []),
  ]
}

export const validateMetric = (metric: MetricSpec, path: string): FieldError[] => {
  const { type = '' } = metric as Partial<MetricSpec>
  const types = Object.keys(SOURCES)
  if (type === '') return [required(`${path}.type`, 'must specify a metric source type')]
  if (!types.includes(type)) return [notSupported(`${path}.type`, type, types)]
  const member = SOURCES[type as keyof typeof SOURCES]
  const others = Object.values(SOURCES).filter((source) => source !== member && metric[source] !== undefined)
  return [
    ...validateSource(metric, path),
    ...(metric[member] === undefined
      ? [required(`${path}.${member}`, 'must populate information for the given metric source')]
      : []),
    ...others.map((source) =>
      forbiddenField(`${path}.${source}`, 'must populate the given metric source only'),
    ),
  ]
}
