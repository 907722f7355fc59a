/** Damage to pods: those of services outside the fault are the same from the beginning of the act to its end. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, Damage } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { isGoing, isSameIntent } from '../intent.ts'
import { toObjectKey } from '../object-set.ts'
import type { Permissions } from '../permissions.ts'
import { isWorkload } from '../readiness.ts'
import { serviceOf } from '../workload-template.ts'
import { driftOf } from './drift.ts'
import { appOf, freePods } from './free-pods.ts'
import { isIntervention } from './laboratory-damage.ts'

/** Whether the laboratory, taking a fault back that heals by itself, has replaced the pods of a workload it had changed. */
const isHealing = (view: EpisodeFacts, at: number, pod: ApiObject): boolean => {
  const { baseline, injected } = view.objects
  const key = [...baseline].find(([, one]) => isWorkload(one) && serviceOf(one) === appOf(pod))?.[0]
  return key !== undefined && !isSameIntent(baseline.get(key), injected.get(key)) && isIntervention(view, at)
}

/** As it was first seen in the act. */
const firstSeen = ({ objects, acts }: EpisodeFacts, pod: ApiObject): ApiObject | undefined => {
  const isIt = ({ metadata }: ApiObject): boolean => metadata.uid === pod.metadata.uid
  const known = objects.injected.get(toObjectKey(pod))
  return known !== undefined && isIt(known)
    ? known
    : acts.find(({ change, object }) => change === 'added' && isIt(object))?.object
}

/**
 * What somebody means it to be; the scheduler says where. A pod that may be changed may be marked and looked into, which is of
 * no use beyond its life.
 */
const toMeaning = ({ metadata, spec }: ApiObject, mayBeMarked: boolean): object => {
  const { nodeName: _, ephemeralContainers, ...meant } = (spec ?? {}) as Readonly<Record<string, unknown>>
  const { labels, annotations } = metadata
  return mayBeMarked ? { spec: meant } : { labels, annotations, spec: { ...meant, ephemeralContainers } }
}

/** As it was before the fault, if it is that old: what a fault that heals by itself has changed is so again. */
const beforeFault = ({ objects }: EpisodeFacts, pod: ApiObject): ApiObject | undefined => {
  const known = objects.baseline.get(toObjectKey(pod))
  return known?.metadata.uid === pod.metadata.uid ? known : undefined
}

/** Pods that go on are as they were made. */
const changedInPlace = (view: EpisodeFacts, free: (pod: ApiObject) => boolean): Damage[] =>
  [...view.objects.now.values()].flatMap((pod) => {
    const known = pod.kind === 'Pod' && !isGoing(pod) ? firstSeen(view, pod) : undefined
    if (known === undefined) return []
    const name = `Pod/${pod.metadata.name}`
    const mayBeMarked = free(known)
    if (!mayBeMarked && appOf(pod) !== appOf(known))
      return [{ object: name, what: 'was taken from its service by another label' }]
    const [now, before] = [toMeaning(pod, mayBeMarked), toMeaning(known, mayBeMarked)]
    const old = beforeFault(view, pod)
    if (old !== undefined && isDeepStrictEqual(now, toMeaning(old, mayBeMarked))) return []
    return driftOf({ now, baseline: before, injected: before }).map((what) => ({
      object: name,
      what: `${what}, although nothing was wrong with it`,
    }))
  })

export const podDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const free = freePods(view, permissions)
  const found = new Map<string, Damage>()
  for (const { at, change, object, before } of view.acts) {
    if (object.kind !== 'Pod') continue
    const pod = before ?? object
    const known = view.objects.injected.get(toObjectKey(pod))
    if (known?.metadata.uid !== pod.metadata.uid || isGoing(known!) || free(pod)) continue
    const isReplaced = object.metadata.uid !== pod.metadata.uid
    const name = `Pod/${pod.metadata.name}`
    if ((change === 'deleted' || isGoing(object) || isReplaced) && !isHealing(view, at, pod))
      found.set(name, { object: name, what: 'was replaced, although nothing was wrong with it' })
  }
  return [...found.values(), ...changedInPlace(view, free)]
}
