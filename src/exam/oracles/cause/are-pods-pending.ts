/** Checks whether the solver started or ended pods that may still change the evidence about a cause. */
import { isDeepStrictEqual } from 'node:util'
import { type ApiObject, isTerminating, labelsOf, podTemplateOf } from '#spec'
import { isIntentChange } from '../objects/is-intent-change.ts'
import { isWorkload } from '../objects/readiness.ts'
import { serviceOf } from '../objects/service-of.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectKey } from '../view/object-set.ts'

/** Whether the pod template has changed since the injection, so that the pods are replaced. */
const isRolling = ({ objects }: EpisodeFacts, key: string): boolean => {
  const [now, injected] = [objects.now.get(key), objects.injected.get(key)]
  return (
    now === undefined ||
    injected === undefined ||
    !isDeepStrictEqual(podTemplateOf(now), podTemplateOf(injected))
  )
}

const hasUnsettledWorkload = ({ unsettled, objects }: EpisodeFacts, pod: ApiObject): boolean => {
  const { app } = labelsOf(pod)
  return [...unsettled].some((key) => {
    const workload = objects.now.get(key)
    return workload !== undefined && serviceOf(workload) === app
  })
}

/** `isInOnePod`: the cause is inside an existing pod, so only pods that end matter. */
export const arePodsPending = (view: EpisodeFacts, isInOnePod: boolean): boolean =>
  (isInOnePod &&
    [...view.objects.now.values()].some((object) => object.kind === 'Pod' && isTerminating(object))) ||
  view.changes.some((change) => {
    const { object } = change
    if (!isIntentChange(change)) return false
    if (object.kind === 'Pod') return !isInOnePod && hasUnsettledWorkload(view, object)
    const key = toObjectKey(object)
    return isWorkload(object) && view.unsettled.has(key) && (!isInOnePod || isRolling(view, key))
  })
