/** Checks whether an autoscaler adds pods to a workload whose pods are at their CPU limit. */
import { type ApiObject, type KubeObject, quantityValue, replicasOf, viewAs } from '#spec'
import { podSpecOf } from '../workloads/containers.ts'

type AutoscalerSpec = NonNullable<KubeObject<'HorizontalPodAutoscaler'>['spec']>
type Metric = NonNullable<AutoscalerSpec['metrics']>[number]

/** An autoscaler does nothing if a value differs from its target by less than this share. */
const TOLERANCE = 0.1
/** A longer window is too slow for a surge. The value is the default of Kubernetes for scaling down. */
const MAX_WINDOW_SECONDS = 300

/** Whether pods at their CPU limit exceed the target of the metric, so that pods are added. */
const exceedsTarget = ({ resource, containerResource }: Metric, workload: ApiObject): boolean => {
  const { name, target } = resource ?? containerResource ?? {}
  if (name !== 'cpu') return false
  const { limits, requests } = podSpecOf(workload).containers[0]?.resources ?? {}
  const limit = quantityValue(limits?.cpu) ?? Number.POSITIVE_INFINITY
  const request = quantityValue(requests?.cpu) ?? limit
  const { averageUtilization, averageValue } = target ?? {}
  const [usage, targetUsage] =
    averageUtilization === undefined
      ? [limit, quantityValue(averageValue) ?? Number.POSITIVE_INFINITY]
      : [(100 * limit) / request, averageUtilization]
  return usage > targetUsage * (1 + TOLERANCE)
}

/** Recorded autoscalers may lack fields. */
const specOf = (autoscaler: ApiObject): Partial<AutoscalerSpec> =>
  viewAs('HorizontalPodAutoscaler', autoscaler).spec ?? {}

export const scalesWorkload = (autoscaler: ApiObject, { kind, metadata }: ApiObject): boolean => {
  const { scaleTargetRef } = specOf(autoscaler)
  return scaleTargetRef?.kind === kind && scaleTargetRef.name === metadata.name
}

/** Whether the autoscaler adds pods, up to its maximum, while the pods of the workload are at their CPU limit. */
export const reactsToLoad = (autoscaler: ApiObject, workload: ApiObject): boolean => {
  const { metrics = [], behavior } = specOf(autoscaler)
  const { selectPolicy, stabilizationWindowSeconds = 0 } = behavior?.scaleUp ?? {}
  return (
    scalesWorkload(autoscaler, workload) &&
    selectPolicy !== 'Disabled' &&
    stabilizationWindowSeconds <= MAX_WINDOW_SECONDS &&
    metrics.some((metric) => exceedsTarget(metric, workload))
  )
}

export const willScaleUp = (autoscaler: ApiObject, workload: ApiObject): boolean => {
  const { minReplicas = 1, maxReplicas = 0 } = specOf(autoscaler)
  const replicas = replicasOf(workload)
  if (!scalesWorkload(autoscaler, workload) || maxReplicas <= replicas) return false
  return minReplicas > replicas || reactsToLoad(autoscaler, workload)
}
