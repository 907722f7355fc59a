/** Finds Jobs and pods that the solver added to do work: which are unfinished, and when the last one ended. */
import { type ApiObject, hasCondition, isFinishedPod, isTerminating } from '#spec'
import {
  isControlled,
  isMadeByController,
  ownersOf,
  RULES_WITH_ALL_OWNERS,
} from '../objects/is-controlled.ts'
import { cachePerState } from '../view/cache-per-state.ts'
import { toObjectKey } from '../view/object-set.ts'

interface AddedWork {
  readonly unfinished: readonly ApiObject[]
  /** When the last one ended; 0 if none has. */
  readonly endedAt: number
}

export const isJobOrPod = ({ kind }: ApiObject): boolean => kind === 'Job' || kind === 'Pod'

const isFinished = (work: ApiObject): boolean =>
  work.kind === 'Pod' ? isFinishedPod(work) : ['Complete', 'Failed'].some((type) => hasCondition(work, type))

export const addedWork = cachePerState((view): AddedWork => {
  const { objects, changes } = view
  const { baseline, injected, now } = objects
  // A fault may change the image of a running pod, so the pod is compared as it was created.
  const originals = new Map(
    changes
      .filter(({ change, object }) => change === 'added' && isJobOrPod(object))
      .map(({ object }) => [object.metadata.uid, object]),
  )
  const finishedJobs = new Set(
    [...now.values()]
      .filter((object) => object.kind === 'Job' && isFinished(object))
      .map(({ metadata }) => metadata.uid),
  )
  // The controller of a Job creates no pods after the end of the Job: the solver added such a pod.
  const isLate = (object: ApiObject): boolean =>
    view.rules >= RULES_WITH_ALL_OWNERS && ownersOf(object).some(({ uid }) => finishedJobs.has(uid))
  const isByController = (object: ApiObject): boolean =>
    isControlled(view, object) &&
    !isLate(object) &&
    isMadeByController(view, originals.get(object.metadata.uid) ?? object)
  const isAdded = (object: ApiObject): boolean => {
    const key = toObjectKey(object)
    return isJobOrPod(object) && !baseline.has(key) && !injected.has(key) && !isByController(object)
  }
  const isDone = (object: ApiObject | undefined): boolean =>
    object !== undefined && (isTerminating(object) || isFinished(object))
  return {
    unfinished: [...now.values()].filter((object) => isAdded(object) && !isDone(object)),
    endedAt: Math.max(
      0,
      ...changes
        .filter(({ object }) => isAdded(object))
        .filter(({ change, object, before }) => !isDone(before) && (change === 'deleted' || isDone(object)))
        .map(({ at }) => at),
    ),
  }
})
