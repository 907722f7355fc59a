/** Finds damage to pods: pods of services outside the fault must not be replaced or changed by the solver. */
import { isDeepStrictEqual } from 'node:util'
import { cachePerObject, cachePerPair } from '#kit'
import { type ApiObject, type Damage, isTerminating, viewAs } from '#spec'
import { isSameIntent } from '../objects/intent.ts'
import { RULES_WITH_ALL_OWNERS } from '../objects/is-controlled.ts'
import { isWorkload } from '../objects/readiness.ts'
import { serviceOf } from '../objects/service-of.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectKey } from '../view/object-set.ts'
import { driftOf } from './drift.ts'
import { isIntervention } from './laboratory-damage.ts'
import { mayReplacePod, serviceOfPod } from './may-replace-pod.ts'
import type { Permissions } from './permissions.ts'

/** Whether the laboratory replaced the pod when it reverted a transient fault that had changed its workload. */
const isRecovery = (view: EpisodeFacts, at: number, pod: ApiObject): boolean => {
  const { baseline, injected } = view.objects
  const key = [...baseline].find(
    ([, object]) => isWorkload(object) && serviceOf(object) === serviceOfPod(pod),
  )?.[0]
  return key !== undefined && !isSameIntent(baseline.get(key), injected.get(key)) && isIntervention(view, at)
}

/** The pod when the solver started, or when it was added later. */
export const firstSeen = ({ objects, changes }: EpisodeFacts, pod: ApiObject): ApiObject | undefined => {
  const isSamePod = ({ metadata }: ApiObject): boolean => metadata.uid === pod.metadata.uid
  const existing = objects.injected.get(toObjectKey(pod))
  return existing !== undefined && isSamePod(existing)
    ? existing
    : changes.find(({ change, object }) => change === 'added' && isSamePod(object))?.object
}

/**
 * The intent of a pod without its node, which the scheduler chooses, and without its ephemeral containers (`leftDebuggers`). A pod
 * that may be replaced may also get labels and annotations.
 */
const toPodIntent = (pod: ApiObject, isReplaceable: boolean): object =>
  isReplaceable ? toReplaceableIntent(pod) : toKeptIntent(pod)

const toReplaceableIntent = cachePerObject((pod: ApiObject): { readonly spec: object } => {
  const {
    nodeName: _,
    ephemeralContainers: _debuggers,
    ...spec
  } = viewAs('Pod', pod).spec ?? { containers: [] }
  return { spec }
})

const toKeptIntent = cachePerObject((pod: ApiObject): object => {
  const { labels, annotations } = pod.metadata
  return { labels, annotations, ...toReplaceableIntent(pod) }
})

const isSameContent = cachePerPair((a, b) => isDeepStrictEqual(a, b))

/** The pod before the fault, if it existed: a transient fault restores that state when it ends. */
const beforeFault = ({ objects }: EpisodeFacts, pod: ApiObject): ApiObject | undefined => {
  const existing = objects.baseline.get(toObjectKey(pod))
  return existing?.metadata.uid === pod.metadata.uid ? existing : undefined
}

/** Finds running pods that were changed. */
const damageInPlace = (view: EpisodeFacts, canReplace: (pod: ApiObject) => boolean): Damage[] =>
  [...view.objects.now.values()].flatMap((pod) => {
    const original = pod.kind === 'Pod' && !isTerminating(pod) ? firstSeen(view, pod) : undefined
    if (original === undefined) return []
    const name = `Pod/${pod.metadata.name}`
    const isReplaceable = canReplace(original)
    if (!isReplaceable && serviceOfPod(pod) !== serviceOfPod(original))
      return [{ object: name, what: 'was removed from its service by a changed label' }]
    const [now, before] = [toPodIntent(pod, isReplaceable), toPodIntent(original, isReplaceable)]
    const formerPod = beforeFault(view, pod)
    if (formerPod !== undefined && isSameContent(now, toPodIntent(formerPod, isReplaceable))) return []
    return driftOf({ now, baseline: before, injected: before }).map((what) => ({
      object: name,
      what: `${what}, although nothing was wrong with it`,
    }))
  })

export const podDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const canReplace = mayReplacePod(view, permissions)
  const found = new Map<string, Damage>()
  for (const { at, change, object, before } of view.changes) {
    if (object.kind !== 'Pod') continue
    const pod = before ?? object
    const existing = view.objects.injected.get(toObjectKey(pod))
    if (existing?.metadata.uid !== pod.metadata.uid || isTerminating(existing!)) continue
    // The solver may have changed the pod before it deleted it.
    if (canReplace(view.rules < RULES_WITH_ALL_OWNERS ? pod : existing!)) continue
    const isReplaced = object.metadata.uid !== pod.metadata.uid
    const name = `Pod/${pod.metadata.name}`
    if ((change === 'deleted' || isTerminating(object) || isReplaced) && !isRecovery(view, at, pod))
      found.set(name, { object: name, what: 'was replaced, although nothing was wrong with it' })
  }
  return [...found.values(), ...damageInPlace(view, canReplace)]
}
