/** Judges records of rules before version 3: whether the maximum was raised, and whether the autoscaler would add pods. */
import {
  type ApiObject,
  type CauseSnapshot,
  type CauseState,
  type FaultCase,
  type KubeObject,
  quantityValue,
  replicasOf,
  viewAs,
} from '#spec'
import { findAutoscalers, hasFormerSize, maximumOf, SUFFICIENT_PODS, targetOf } from './capacity.ts'

type AutoscalerSpec = NonNullable<KubeObject<'HorizontalPodAutoscaler'>['spec']>
type Metric = NonNullable<AutoscalerSpec['metrics']>[number]

/** Whether pods at their CPU limit exceed the target of the metric, so that pods are added. */
const exceedsTarget = ({ params }: FaultCase, { resource, containerResource }: Metric): boolean => {
  const { name, target } = resource ?? containerResource ?? {}
  const { averageUtilization, averageValue } = target ?? {}
  if (name !== 'cpu') return false
  return averageUtilization === undefined
    ? (quantityValue(averageValue) ?? Number.POSITIVE_INFINITY) < Number(params.podCpu) / 1000
    : averageUtilization < 100
}

const isEffective = (faultCase: FaultCase, autoscaler: ApiObject): boolean => {
  const { kind, name } = faultCase.system.workloadOf(faultCase.target.service)
  const spec: Partial<AutoscalerSpec> = viewAs('HorizontalPodAutoscaler', autoscaler).spec ?? {}
  const { scaleTargetRef, metrics = [], behavior } = spec
  return (
    scaleTargetRef?.kind === kind &&
    scaleTargetRef.name === name &&
    behavior?.scaleUp?.selectPolicy !== 'Disabled' &&
    metrics.some((metric) => exceedsTarget(faultCase, metric))
  )
}

/** Whether enough pods were added manually; without an autoscaler they stay. */
const hasEnoughPods = (snapshot: CauseSnapshot): boolean => {
  const workload = targetOf(snapshot, snapshot.now)
  return workload !== undefined && replicasOf(workload) >= SUFFICIENT_PODS
}

export const judgeMaximum = (snapshot: CauseSnapshot): CauseState => {
  const autoscalers = findAutoscalers(snapshot)
  const isRaised =
    autoscalers.length > 0 &&
    autoscalers.every((object) => maximumOf(object) > Number(snapshot.state.ceiling))
  const isLarge = hasFormerSize(snapshot)
  const hasEnough = autoscalers.length === 0 && hasEnoughPods(snapshot)
  const toText = (object: ApiObject): string =>
    `the autoscaler ${object.metadata.name} ${isEffective(snapshot, object) ? 'scales' : 'does not scale'} the workload by its CPU, up to ${maximumOf(object)} pods`
  return {
    holds: autoscalers.every((object) => isEffective(snapshot, object)) && (isRaised || isLarge || hasEnough),
    evidence: `${autoscalers.map(toText).join(', ') || 'there is no autoscaler'}; the pods ${isLarge ? 'have their former size' : hasEnough ? 'are small, but enough' : 'are small'}`,
  }
}
