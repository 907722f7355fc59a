/** Asks every metric of an autoscaler how many replicas there should be: the largest answer counts. */
import type {
  CrossVersionObjectReference,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from 'kubernetes-types/autoscaling/v2.d.ts'
import { formatQuantity, milliValue } from '../../meta/index.ts'
import { messageOf } from '../message-of.ts'
import { type Proposal, proposeForAverage, proposeForUtilization, type Question } from './propose-replicas.ts'

/** A metric that gave no answer: the reason is that of the event and of the condition. */
export class MetricFailure extends Error {
  readonly reason: string
  /** What the metric's own event says; the message says whose it is, too. */
  readonly detail: string

  constructor(reason: string, detail: string, prefix: string) {
    super(`${prefix}: ${detail}`)
    this.reason = reason
    this.detail = detail
  }
}

interface Answer {
  replicas: number
  /** How the metric is called in reasons: `cpu resource utilization (percentage of request)`. */
  name: string
  status: MetricStatus
}

const NO_CUSTOM =
  'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered'
const NO_EXTERNAL =
  'unable to fetch metrics from external metrics API: no external metrics API (external.metrics.k8s.io) registered'

const figuresOf = ({ utilization, average }: Proposal): MetricValueStatus => ({
  ...(utilization === undefined ? {} : { averageUtilization: utilization }),
  averageValue: formatQuantity({ nano: BigInt(average) * 1_000_000n, format: 'decimal' }),
})

const askResource = (
  question: Question,
  target: MetricTarget,
): { name: string; replicas: number; current: MetricValueStatus } => {
  const { resource } = question.measured
  const ask = (what: string, propose: () => Proposal): Proposal => {
    try {
      return propose()
    } catch (error) {
      throw new Error(`failed to get ${resource} ${what}: ${messageOf(error)}`)
    }
  }
  const { averageValue, averageUtilization } = target
  if (averageValue !== undefined) {
    const proposal = ask('usage', () => proposeForAverage(question, milliValue(averageValue)))
    return { name: `${resource} resource`, replicas: proposal.replicas, current: figuresOf(proposal) }
  }
  if (averageUtilization === undefined)
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    )
  const proposal = ask('utilization', () => proposeForUtilization(question, averageUtilization))
  const name = `${resource} resource utilization (percentage of request)`
  return { name, replicas: proposal.replicas, current: figuresOf(proposal) }
}

const unavailable = (
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

/** The answer of one metric. Throws MetricFailure. */
export const askMetric = (
  spec: MetricSpec,
  question: Omit<Question, 'measured'>,
  target: CrossVersionObjectReference,
): Answer => {
  const { resource, containerResource } = spec
  if (spec.type === 'Resource' && resource !== undefined) {
    const measured = { resource: resource.name, container: undefined }
    try {
      const { current, ...answer } = askResource({ ...question, measured }, resource.target)
      return { ...answer, status: { type: spec.type, resource: { name: resource.name, current } } }
    } catch (error) {
      const prefix = `failed to get ${resource.name} resource metric value`
      throw new MetricFailure('FailedGetResourceMetric', messageOf(error), prefix)
    }
  }
  if (spec.type === 'ContainerResource' && containerResource !== undefined) {
    const { name, container } = containerResource
    try {
      const { current, ...answer } = askResource(
        { ...question, measured: { resource: name, container } },
        containerResource.target,
      )
      return { ...answer, status: { type: spec.type, containerResource: { name, container, current } } }
    } catch (error) {
      const prefix = `failed to get ${name} container metric value`
      throw new MetricFailure('FailedGetContainerResourceMetric', messageOf(error), prefix)
    }
  }
  throw unavailable(spec, question.namespace, target)
}
