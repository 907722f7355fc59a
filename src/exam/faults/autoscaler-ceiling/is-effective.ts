/** Checks whether an autoscaler scales the workload when its pods are busy. */
import { type ApiObject, type FaultCase, type KubeObject, quantityValue, viewAs } from '#spec'

type AutoscalerSpec = NonNullable<KubeObject<'HorizontalPodAutoscaler'>['spec']>
type Metric = NonNullable<AutoscalerSpec['metrics']>[number]

/** Recorded autoscalers may lack fields. */
const specOf = (autoscaler: ApiObject): Partial<AutoscalerSpec> =>
  viewAs('HorizontalPodAutoscaler', autoscaler).spec ?? {}

/** Whether pods at their CPU limit make the metric ask for more of them. */
const asksForMore = ({ params }: FaultCase, { resource, containerResource }: Metric): boolean => {
  const { name, target } = resource ?? containerResource ?? {}
  const { averageUtilization, averageValue } = target ?? {}
  if (name !== 'cpu') return false
  return averageUtilization === undefined
    ? (quantityValue(averageValue) ?? Number.POSITIVE_INFINITY) < Number(params.podCpu) / 1000
    : averageUtilization < 100
}

export const targetsWorkload = ({ system, target }: FaultCase, autoscaler: ApiObject): boolean => {
  const { kind, name } = system.workloadOf(target.service)
  const { scaleTargetRef } = specOf(autoscaler)
  return scaleTargetRef?.kind === kind && scaleTargetRef.name === name
}

export const isEffective = (faultCase: FaultCase, autoscaler: ApiObject): boolean => {
  const { metrics = [], behavior } = specOf(autoscaler)
  return (
    targetsWorkload(faultCase, autoscaler) &&
    behavior?.scaleUp?.selectPolicy !== 'Disabled' &&
    metrics.some((metric) => asksForMore(faultCase, metric))
  )
}
