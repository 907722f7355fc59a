/** Whether an autoscaler does what it is there for. */
import { type ApiObject, type FaultCase, quantityValue } from '../../spec/index.ts'

interface Metric {
  readonly resource?: { readonly name?: string; readonly target?: MetricTarget }
  readonly containerResource?: { readonly name?: string; readonly target?: MetricTarget }
}

interface MetricTarget {
  readonly averageUtilization?: number
  readonly averageValue?: string
}

/** Whether pods that are at their limit make it want more of them. */
const wantsMore = ({ params }: FaultCase, { resource, containerResource }: Metric): boolean => {
  const { name, target } = resource ?? containerResource ?? {}
  const { averageUtilization, averageValue } = target ?? {}
  if (name !== 'cpu') return false
  return averageUtilization === undefined
    ? (quantityValue(averageValue) ?? Number.POSITIVE_INFINITY) < Number(params.podCpu) / 1000
    : averageUtilization < 100
}

interface Spec {
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string }
  readonly metrics?: readonly Metric[]
  readonly behavior?: { readonly scaleUp?: { readonly selectPolicy?: string } }
}

/** Whether the autoscaler is set over the workload. */
export const isOverTarget = ({ system, target }: FaultCase, { spec }: ApiObject): boolean => {
  const { kind, name } = system.workloadOf(target.service)
  const { scaleTargetRef: to } = (spec ?? {}) as Spec
  return to?.kind === kind && to.name === name
}

/** Whether the autoscaler governs the workload, and adds pods to it when those that it has are busy. */
export const isInOffice = (about: FaultCase, autoscaler: ApiObject): boolean => {
  const { metrics = [], behavior } = (autoscaler.spec ?? {}) as Spec
  return (
    isOverTarget(about, autoscaler) &&
    behavior?.scaleUp?.selectPolicy !== 'Disabled' &&
    metrics.some((metric) => wantsMore(about, metric))
  )
}
