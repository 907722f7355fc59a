/** Checks whether an autoscaler will add pods to a workload whose pods are at their CPU limit. */
import { type ApiObject, type KubeObject, quantityValue, replicasOf, viewAs } from '#spec'
import { podSpecOf } from '../workloads/containers.ts'

type AutoscalerSpec = NonNullable<KubeObject<'HorizontalPodAutoscaler'>['spec']>
type Metric = NonNullable<AutoscalerSpec['metrics']>[number]

/** An autoscaler does nothing if a value differs from its target by less than this share. */
const TOLERANCE = 0.1

/** Whether pods at their CPU limit make the metric ask for more of them. */
const asksForMore = ({ resource, containerResource }: Metric, workload: ApiObject): boolean => {
  const { name, target } = resource ?? containerResource ?? {}
  if (name !== 'cpu') return false
  const { limits, requests } = podSpecOf(workload).containers[0]?.resources ?? {}
  const limit = quantityValue(limits?.cpu) ?? Number.POSITIVE_INFINITY
  const request = quantityValue(requests?.cpu) ?? limit
  const { averageUtilization, averageValue } = target ?? {}
  const [usage, wanted] =
    averageUtilization === undefined
      ? [limit, quantityValue(averageValue) ?? Number.POSITIVE_INFINITY]
      : [(100 * limit) / request, averageUtilization]
  return usage > wanted * (1 + TOLERANCE)
}

export const willScaleUp = (autoscaler: ApiObject, workload: ApiObject): boolean => {
  const spec: Partial<AutoscalerSpec> = viewAs('HorizontalPodAutoscaler', autoscaler).spec ?? {}
  const { scaleTargetRef, minReplicas = 1, maxReplicas = 0, metrics = [], behavior } = spec
  const replicas = replicasOf(workload)
  if (scaleTargetRef?.kind !== workload.kind || scaleTargetRef.name !== workload.metadata.name) return false
  if (maxReplicas <= replicas) return false
  if (minReplicas > replicas) return true
  return (
    behavior?.scaleUp?.selectPolicy !== 'Disabled' && metrics.some((metric) => asksForMore(metric, workload))
  )
}
