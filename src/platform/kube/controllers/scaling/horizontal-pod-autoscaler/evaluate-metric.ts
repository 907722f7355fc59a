/** Computes the replica count that one metric of an autoscaler requires. */
import type {
  CrossVersionObjectReference,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { defined } from '#kit'
import { formatQuantity, milliValue } from '#platform/kube/meta'
import { messageOf } from '../../message-of.ts'
import {
  type MetricQuery,
  type Proposal,
  proposeForAverage,
  proposeForUtilization,
} from './propose-replicas.ts'

/** Thrown if a metric has no value. `reason` is the reason of the event and of the condition. */
export class MetricFailure extends Error {
  readonly reason: string
  /** The text of the metric's event; the error message adds a prefix. */
  readonly detail: string

  constructor(reason: string, detail: string, prefix: string) {
    super(`${prefix}: ${detail}`)
    this.reason = reason
    this.detail = detail
  }
}

interface MetricResult {
  replicas: number
  /** The metric's name in reasons, such as `cpu resource utilization (percentage of request)`. */
  name: string
  status: MetricStatus
}

const NO_CUSTOM =
  'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered'
const NO_EXTERNAL =
  'unable to fetch metrics from external metrics API: no external metrics API (external.metrics.k8s.io) registered'

const toValueStatus = ({ utilization, average }: Proposal): MetricValueStatus => ({
  ...defined({ averageUtilization: utilization }),
  averageValue: formatQuantity({ nano: BigInt(average) * 1_000_000n, format: 'decimal' }),
})

const evaluateResource = (
  query: MetricQuery,
  target: MetricTarget,
): { name: string; replicas: number; current: MetricValueStatus } => {
  const { resource } = query.measured
  const wrapErrors = (quantity: string, propose: () => Proposal): Proposal => {
    try {
      return propose()
    } catch (error) {
      throw new Error(`failed to get ${resource} ${quantity}: ${messageOf(error)}`)
    }
  }
  const { averageValue, averageUtilization } = target
  if (averageValue !== undefined) {
    const proposal = wrapErrors('usage', () => proposeForAverage(query, milliValue(averageValue)))
    return { name: `${resource} resource`, replicas: proposal.replicas, current: toValueStatus(proposal) }
  }
  if (averageUtilization === undefined)
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    )
  const proposal = wrapErrors('utilization', () => proposeForUtilization(query, averageUtilization))
  const name = `${resource} resource utilization (percentage of request)`
  return { name, replicas: proposal.replicas, current: toValueStatus(proposal) }
}

const toMetricFailure = (
  spec: MetricSpec,
  namespace: string,
  target: CrossVersionObjectReference,
): MetricFailure => {
  switch (spec.type) {
    case 'Pods':
      return new MetricFailure(
        'FailedGetPodsMetric',
        `unable to get metric ${spec.pods?.metric.name}: ${NO_CUSTOM}`,
        'failed to get pods metric value',
      )
    case 'Object': {
      const { kind, name } = spec.object?.describedObject ?? target
      return new MetricFailure(
        'FailedGetObjectMetric',
        `unable to get metric ${spec.object?.metric.name}: ${kind} on ${namespace} ${name}/${NO_CUSTOM}`,
        'failed to get object metric value',
      )
    }
    case 'External':
      return new MetricFailure(
        'FailedGetExternalMetric',
        `unable to get external metric ${namespace}/${spec.external?.metric.name}/nil: ${NO_EXTERNAL}`,
        `failed to get ${spec.external?.metric.name} external metric value`,
      )
    default:
      return new MetricFailure(
        'InvalidMetricSourceType',
        `unknown metric source type "${spec.type}"`,
        'invalid metric source',
      )
  }
}

/** Evaluates one metric. Throws MetricFailure if it has no value. */
export const evaluateMetric = (
  spec: MetricSpec,
  query: Omit<MetricQuery, 'measured'>,
  target: CrossVersionObjectReference,
): MetricResult => {
  const { resource, containerResource } = spec
  if (spec.type === 'Resource' && resource !== undefined) {
    const measured = { resource: resource.name, container: undefined }
    try {
      const { current, ...result } = evaluateResource({ ...query, measured }, resource.target)
      return { ...result, status: { type: spec.type, resource: { name: resource.name, current } } }
    } catch (error) {
      const prefix = `failed to get ${resource.name} resource metric value`
      throw new MetricFailure('FailedGetResourceMetric', messageOf(error), prefix)
    }
  }
  if (spec.type === 'ContainerResource' && containerResource !== undefined) {
    const { name, container } = containerResource
    try {
      const { current, ...result } = evaluateResource(
        { ...query, measured: { resource: name, container } },
        containerResource.target,
      )
      return { ...result, status: { type: spec.type, containerResource: { name, container, current } } }
    } catch (error) {
      const prefix = `failed to get ${name} container metric value`
      throw new MetricFailure('FailedGetContainerResourceMetric', messageOf(error), prefix)
    }
  }
  throw toMetricFailure(spec, query.namespace, target)
}
