/** Finds the minimum of the autoscalers of a workload, other than those that the solver created. */
import { type ApiObject, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

export const isAutoscalerOf = (autoscaler: ApiObject, workload: ApiObject): boolean => {
  const target = viewAs('HorizontalPodAutoscaler', autoscaler).spec?.scaleTargetRef
  return target?.kind === workload.kind && target.name === workload.metadata.name
}

/** The lowest number of replicas that an autoscaler may set; undefined if the workload has no autoscaler. */
export const autoscalerMinimum = ({ objects }: EpisodeFacts, workload: ApiObject): number | undefined => {
  const minimums = [...objects.baseline.values(), ...objects.injected.values()]
    .filter((object) => object.kind === 'HorizontalPodAutoscaler' && isAutoscalerOf(object, workload))
    .map((autoscaler) => viewAs('HorizontalPodAutoscaler', autoscaler).spec?.minReplicas ?? 1)
  return minimums.length === 0 ? undefined : Math.max(1, Math.min(...minimums))
}
