/** Finds the minimum of the autoscalers of a workload, other than those that the solver created. */
import { type ApiObject, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

export const isAutoscalerOf = (autoscaler: ApiObject, workload: ApiObject): boolean => {
  const target = viewAs('HorizontalPodAutoscaler', autoscaler).spec?.scaleTargetRef
  return target?.kind === workload.kind && target.name === workload.metadata.name
}

/** The lowest number of replicas that an autoscaler may set; undefined if the workload has no autoscaler. */
export const autoscalerMinimum = ({ objects }: EpisodeFacts, workload: ApiObject): number | undefined => {
  let lowest: number | undefined
  // Without lists, because each assessment asks for each workload, and there are hundreds of objects.
  for (const set of [objects.baseline, objects.injected])
    for (const object of set.values()) {
      if (object.kind !== 'HorizontalPodAutoscaler' || !isAutoscalerOf(object, workload)) continue
      const minimum = viewAs('HorizontalPodAutoscaler', object).spec?.minReplicas ?? 1
      lowest = Math.min(lowest ?? minimum, minimum)
    }
  return lowest === undefined ? undefined : Math.max(1, lowest)
}
