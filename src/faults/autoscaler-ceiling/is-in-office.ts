/** Whether an autoscaler does what it is there for. */
import { toAmount } from '../../fault-parts/index.ts'
import type { ApiObject, FaultCase } from '../../spec/index.ts'

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
    ? (toAmount(averageValue) ?? Number.POSITIVE_INFINITY) < Number(params.podCpu) / 1000
    : averageUtilization < 100
}

/** Whether the autoscaler governs the workload, and adds pods to it when those that it has are busy. */
export const isInOffice = (about: FaultCase, autoscaler: ApiObject): boolean => {
  const { kind, name } = about.system.workloadOf(about.target.service)
  const spec = autoscaler.spec as {
    scaleTargetRef?: { kind?: string; name?: string }
    metrics?: readonly Metric[]
    behavior?: { scaleUp?: { selectPolicy?: string } }
  }
  return (
    spec.scaleTargetRef?.kind === kind &&
    spec.scaleTargetRef.name === name &&
    spec.behavior?.scaleUp?.selectPolicy !== 'Disabled' &&
    (spec.metrics ?? []).some((metric) => wantsMore(about, metric))
  )
}
