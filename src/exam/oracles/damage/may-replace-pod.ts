/** Decides which pods the solver may delete or change, such as those of services that may be changed. */
import { type ApiObject, isFinishedPod, labelsOf, viewAs } from '#spec'
import { isMadeByController, ownersOf, RULES_WITH_ALL_OWNERS } from '../objects/is-controlled.ts'
import { isWorkload } from '../objects/readiness.ts'
import { serviceOf } from '../objects/service-of.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { autoscalerMinimum } from './autoscaler-minimum.ts'
import type { Permissions } from './permissions.ts'

/** The service that a pod belongs to: its label `app`. */
export const serviceOfPod = (pod: ApiObject): string | undefined => labelsOf(pod).app

const nodeOf = (pod: ApiObject): string | undefined => viewAs('Pod', pod).spec?.nodeName

/** An owner reference alone is not enough: any client can write one. */
const isOfJob = (view: EpisodeFacts, pod: ApiObject): boolean =>
  ownersOf(pod).some(({ kind }) => kind === 'Job') &&
  (view.rules < RULES_WITH_ALL_OWNERS || isMadeByController(view, pod))

export const mayReplacePod = (
  view: EpisodeFacts,
  permissions: Permissions,
): ((pod: ApiObject) => boolean) => {
  const workloads = [...view.objects.baseline.values()].filter(isWorkload)
  const workloadsByService = new Map(workloads.map((workload) => [serviceOf(workload), workload]))
  const changedWorkloads = new Set(
    view.changes
      .filter(({ object, before }) => isWorkload(object) && before !== undefined)
      .map(({ object }) => object.metadata.name),
  )
  return (pod) => {
    const service = serviceOfPod(pod)
    if (permissions.mayDrain(nodeOf(pod)) || isFinishedPod(pod) || isOfJob(view, pod)) return true
    if (service === undefined || !workloadsByService.has(service)) return ownersOf(pod).length > 0
    const workload = workloadsByService.get(service)!
    // An autoscaler that scaled the workload may have deleted the pod.
    if (autoscalerMinimum(view, workload) !== undefined && changedWorkloads.has(workload.metadata.name))
      return true
    return permissions.services.has(service)
  }
}
