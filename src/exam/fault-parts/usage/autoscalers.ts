/** Checks whether an autoscaler adds pods to a workload whose pods are at their CPU limit. */
import { type ApiObject, type KubeObject, quantityValue, replicasOf, viewAs } from '#spec'
import { podSpecOf } from '../workloads/containers.ts'

type AutoscalerSpec = NonNullable<KubeObject<'HorizontalPodAutoscaler'>['spec']>
type Metric = NonNullable<AutoscalerSpec['metrics']>[number]

/** An autoscaler does nothing if a value differs from its target by less than this share. */
const TOLERANCE = 0.1
/** A longer window is too slow for a surge. The value is the default of Kubernetes for scaling down. */
const MAX_WINDOW_SECONDS = 300

/** The first version of the rules that checks whether autoscalers keep the capacity, and what their metrics measure. */
export const RULES_WITH_LASTING_CAPACITY = 7

type Container = ReturnType<typeof podSpecOf>['containers'][number]

/** In cores; undefined if neither a request nor a limit is declared, so that no utilisation can be computed. */
const requestOf = ({ resources }: Container): number | undefined =>
  quantityValue(resources?.requests?.cpu) ?? quantityValue(resources?.limits?.cpu)

/** The request to which the metric relates the usage: that of the main container, or of all; NaN if it cannot be computed. */
const measuredRequest = ({ containerResource }: Metric, workload: ApiObject): number => {
  const { containers } = podSpecOf(workload)
  const measured = containerResource === undefined ? containers : containers.slice(0, 1)
  return measured.reduce((sum, container) => sum + (requestOf(container) ?? Number.NaN), 0)
}

/** Whether pods whose main container is at its CPU limit, and whose other containers are idle, exceed the target of the metric. */
const exceedsTarget = (metric: Metric, workload: ApiObject, rules: number): boolean => {
  const { resource, containerResource } = metric
  const { name, target } = resource ?? containerResource ?? {}
  const [main] = podSpecOf(workload).containers
  if (name !== 'cpu') return false
  const isLasting = rules >= RULES_WITH_LASTING_CAPACITY
  if (isLasting && containerResource !== undefined && containerResource.container !== main?.name) return false
  const { limits, requests } = main?.resources ?? {}
  const limit = quantityValue(limits?.cpu) ?? Number.POSITIVE_INFINITY
  const request = isLasting ? measuredRequest(metric, workload) : (quantityValue(requests?.cpu) ?? limit)
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

type ScalingRules = NonNullable<NonNullable<AutoscalerSpec['behavior']>['scaleUp']>

/** Whether the policies permit a pod within the longest window. By default, the policy that permits the most pods counts. */
const permitsPods = ({ policies = [], selectPolicy }: ScalingRules): boolean => {
  const isQuick = ({ periodSeconds }: (typeof policies)[number]): boolean =>
    periodSeconds <= MAX_WINDOW_SECONDS
  if (policies.length === 0) return true
  return selectPolicy === 'Min' ? policies.every(isQuick) : policies.some(isQuick)
}

/** Whether the autoscaler adds pods, up to its maximum, while the pods of the workload are at their CPU limit. */
export const reactsToLoad = (autoscaler: ApiObject, workload: ApiObject, rules: number): boolean => {
  const { metrics = [], behavior } = specOf(autoscaler)
  const scaleUp = behavior?.scaleUp ?? {}
  return (
    scalesWorkload(autoscaler, workload) &&
    scaleUp.selectPolicy !== 'Disabled' &&
    (scaleUp.stabilizationWindowSeconds ?? 0) <= MAX_WINDOW_SECONDS &&
    (rules < RULES_WITH_LASTING_CAPACITY || permitsPods(scaleUp)) &&
    metrics.some((metric) => exceedsTarget(metric, workload, rules))
  )
}

/**
 * The number of pods that the autoscaler keeps under load. One that does not add pods under load removes them in time, whatever its
 * metric measures, unless it must not remove any.
 */
export const lastingPods = (autoscaler: ApiObject, workload: ApiObject, rules: number): number => {
  const { minReplicas = 1, maxReplicas = 0, behavior } = specOf(autoscaler)
  if (reactsToLoad(autoscaler, workload, rules)) return maxReplicas
  const mayRemove = behavior?.scaleDown?.selectPolicy !== 'Disabled'
  return mayRemove ? minReplicas : Math.min(maxReplicas, replicasOf(workload))
}

export const willScaleUp = (autoscaler: ApiObject, workload: ApiObject, rules: number): boolean => {
  const { minReplicas = 1, maxReplicas = 0 } = specOf(autoscaler)
  const replicas = replicasOf(workload)
  if (!scalesWorkload(autoscaler, workload) || maxReplicas <= replicas) return false
  return minReplicas > replicas || reactsToLoad(autoscaler, workload, rules)
}
