/** Formats the current and target metrics of a HorizontalPodAutoscaler for its table. */
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import type { Stored } from '#platform/kube/meta'

const MAX_SHOWN = 2
const UNKNOWN = '<unknown>'

const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`

const resourceText = (name: string, target: MetricTarget, current: MetricValueStatus | undefined): string =>
  target.averageValue === undefined
    ? `${name}: ${percent(current?.averageUtilization, UNKNOWN)}/${percent(target.averageUtilization, '<auto>')}`
    : `${name}: ${current?.averageValue ?? UNKNOWN}/${target.averageValue}`

const valueText = (target: MetricTarget, current: MetricValueStatus | undefined): string =>
  target.averageValue === undefined
    ? `${current?.value ?? UNKNOWN}/${target.value}`
    : `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`

const metricText = (spec: MetricSpec, status: MetricStatus | undefined): string => {
  const { resource, containerResource, pods, object, external } = spec
  if (resource !== undefined) return resourceText(resource.name, resource.target, status?.resource?.current)
  if (containerResource !== undefined)
    return resourceText(containerResource.name, containerResource.target, status?.containerResource?.current)
  if (pods !== undefined)
    return `${status?.pods?.current.averageValue ?? UNKNOWN}/${pods.target.averageValue}`
  if (object !== undefined) return valueText(object.target, status?.object?.current)
  if (external !== undefined) return valueText(external.target, status?.external?.current)
  return '<unknown type>'
}

/** Returns current and target values: `cpu: 12%/80%, 100/200 (avg) + 1 more...` */
export const metricsText = ({ spec, status }: Stored<HorizontalPodAutoscaler>): string => {
  const metrics = spec.metrics ?? []
  if (metrics.length === 0) return '<none>'
  const text = metrics
    .slice(0, MAX_SHOWN)
    .map((metric, index) => metricText(metric, status.currentMetrics?.[index]))
    .join(', ')
  return metrics.length > MAX_SHOWN ? `${text} + ${metrics.length - MAX_SHOWN} more...` : text
}
