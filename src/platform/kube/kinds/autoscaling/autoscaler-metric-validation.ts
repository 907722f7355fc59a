/** Validates the metrics of a HorizontalPodAutoscaler. */
import type { MetricIdentifier, MetricSpec, MetricTarget } from 'kubernetes-types/autoscaling/v2.d.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  parseQuantity,
  required,
} from '#platform/kube/meta'
import { validateLabelSelector } from '../validation/label-selector-validation.ts'

/** Metric types, with the member that holds the source. */
const SOURCES = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
} as const

type Reference = { kind?: string; name?: string }

export const validateReference = ({ kind = '', name = '' }: Reference, at: string): FieldError[] => {
  const segment = (value: string, field: string): FieldError[] =>
    value === ''
      ? [required(field)]
      : nameProblems(value, 'path-segment').map((problem) => invalid(field, value, problem))
  return [...segment(kind, `${at}.kind`), ...segment(name, `${at}.name`)]
}

const validateTarget = (target: Partial<MetricTarget>, at: string): FieldError[] => {
  const { type = '', averageUtilization, value, averageValue } = target
  const errors: FieldError[] = []
  if (type === '') errors.push(required(`${at}.type`, 'must specify a metric target type'))
  else if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.push(invalid(`${at}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  if (value !== undefined && parseQuantity(value).nano <= 0n)
    errors.push(invalid(`${at}.value`, value, 'must be positive'))
  if (averageValue !== undefined && parseQuantity(averageValue).nano <= 0n)
    errors.push(invalid(`${at}.averageValue`, averageValue, 'must be positive'))
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(`${at}.averageUtilization`, averageUtilization, 'must be greater than 0'))
  return errors
}

const validateIdentifier = (metric: Partial<MetricIdentifier> | undefined, at: string): FieldError[] => {
  const name = metric?.name ?? ''
  return [
    ...(name === ''
      ? [required(`${at}.name`)]
      : nameProblems(name, 'path-segment').map((problem) => invalid(`${at}.name`, name, problem))),
    ...validateLabelSelector(metric?.selector, `${at}.selector`),
  ]
}

interface ResourceMetric {
  name?: string
  container?: string
  target?: MetricTarget
}

const validateResourceMetric = (
  metric: ResourceMetric,
  at: string,
  isContainerMetric: boolean,
): FieldError[] => {
  const { averageUtilization, averageValue } = metric.target ?? {}
  const errors: FieldError[] = []
  if ((metric.name ?? '') === '') errors.push(required(`${at}.name`, 'must specify a resource name'))
  if (isContainerMetric && (metric.container ?? '') === '')
    errors.push(required(`${at}.container`, 'must specify a container'))
  errors.push(...validateTarget(metric.target ?? {}, `${at}.target`))
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(
      required(
        `${at}.target.averageUtilization`,
        'must set either a target raw value or a target utilization',
      ),
    )
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(
      forbiddenField(
        `${at}.target.averageValue`,
        'may not set both a target raw value and a target utilization',
      ),
    )
  return errors
}

const validateSource = (metric: MetricSpec, at: string): FieldError[] => {
  const { resource, containerResource, pods, object, external } = metric
  if (resource !== undefined) return validateResourceMetric(resource, `${at}.resource`, false)
  if (containerResource !== undefined)
    return validateResourceMetric(containerResource, `${at}.containerResource`, true)
  if (pods !== undefined)
    return [
      ...validateIdentifier(pods.metric, `${at}.pods.metric`),
      ...validateTarget(pods.target ?? {}, `${at}.pods.target`),
      ...(pods.target?.averageValue === undefined
        ? [required(`${at}.pods.target.averageValue`, 'must specify a positive target averageValue')]
        : []),
    ]
  if (object !== undefined)
    return [
      ...validateReference(object.describedObject ?? {}, `${at}.object.describedObject`),
      ...validateIdentifier(object.metric, `${at}.object.metric`),
      ...validateTarget(object.target ?? {}, `${at}.object.target`),
      ...(object.target?.value === undefined && object.target?.averageValue === undefined
        ? [required(`${at}.object.target.averageValue`, 'must set either a target value or averageValue')]
        : []),
    ]
  if (external === undefined) return []
  const { value, averageValue } = external.target ?? {}
  return [
    ...validateIdentifier(external.metric, `${at}.external.metric`),
    ...validateTarget(external.target ?? {}, `${at}.external.target`),
    ...(value === undefined && averageValue === undefined
      ? [
          required(
            `${at}.external.target.averageValue`,
            'must set either a target value for metric or a per-pod target',
          ),
        ]
      : []),
    ...(value !== undefined && averageValue !== undefined
      ? [
          forbiddenField(
            `${at}.external.target.value`,
            'may not set both a target value for metric and a per-pod target',
          ),
        ]
      : []),
  ]
}

export const validateMetric = (metric: MetricSpec, at: string): FieldError[] => {
  const { type = '' } = metric as Partial<MetricSpec>
  const types = Object.keys(SOURCES)
  if (type === '') return [required(`${at}.type`, 'must specify a metric source type')]
  if (!types.includes(type)) return [notSupported(`${at}.type`, type, types)]
  const member = SOURCES[type as keyof typeof SOURCES]
  const others = Object.values(SOURCES).filter((source) => source !== member && metric[source] !== undefined)
  return [
    ...validateSource(metric, at),
    ...(metric[member] === undefined
      ? [required(`${at}.${member}`, 'must populate information for the given metric source')]
      : []),
    ...others.map((source) =>
      forbiddenField(`${at}.${source}`, 'must populate the given metric source only'),
    ),
  ]
}
