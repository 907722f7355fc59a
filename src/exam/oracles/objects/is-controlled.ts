/** Checks whether a controller created an object and manages it. */

import { programsOf } from '#exam/effects'
import { type ApiObject, isCreatedByController, type KubeObject, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

type OwnerReference = NonNullable<NonNullable<KubeObject<'Pod'>['metadata']>['ownerReferences']>[number]

/** The first version of the rules that looks for the owner: any client can write an owner reference. */
export const RULES_WITH_OWNERS = 2
/** The first version of the rules that compares a pod with every kind of owner, and with its owner now. */
export const RULES_WITH_ALL_OWNERS = 3

export const ownersOf = (object: ApiObject): readonly OwnerReference[] =>
  viewAs('Pod', object).metadata?.ownerReferences ?? []

/** The versions of the owner that a reference names; none if no such object ever existed. */
export const findOwner = (
  { owners }: Pick<EpisodeFacts, 'owners'>,
  { metadata }: ApiObject,
  { apiVersion, kind, name, uid }: OwnerReference,
): readonly ApiObject[] =>
  (owners.get(uid) ?? []).filter(
    (owner) =>
      owner.apiVersion === apiVersion &&
      owner.kind === kind &&
      owner.metadata.name === name &&
      owner.metadata.namespace === metadata.namespace,
  )

type Owners = Pick<EpisodeFacts, 'owners' | 'rules'>

/** Whether an owner reference says that a controller created the object, as far as the kinds go. */
const isOfController = (object: ApiObject, { kind, controller }: OwnerReference): boolean =>
  controller === true && isCreatedByController(object, kind)

/** By the kinds alone: while a record is written, the owner may be listed after the object. */
export const claimsController = (object: ApiObject): boolean =>
  ownersOf(object).some((reference) => isOfController(object, reference))

/** The controller among the owners deletes or releases objects that it does not need. */
export const isControlled = (view: Owners, object: ApiObject): boolean =>
  ownersOf(object).some(
    (reference) =>
      isOfController(object, reference) &&
      (view.rules < RULES_WITH_OWNERS || findOwner(view, object, reference).length > 0),
  )

/**
 * Owners whose pods run exactly what a version of their template says, and ReplicaSets that have the template of their Deployment,
 * with the first version of the rules that knows it.
 */
const COPYING_KINDS: Readonly<Record<string, number>> = {
  Deployment: RULES_WITH_OWNERS,
  ReplicaSet: RULES_WITH_OWNERS,
  StatefulSet: RULES_WITH_OWNERS,
  DaemonSet: RULES_WITH_OWNERS,
  Job: RULES_WITH_ALL_OWNERS,
  ReplicationController: RULES_WITH_ALL_OWNERS,
}

/** Whether the object runs what a version of its owner says; an owner that only adopted it says something else. */
export const isCopyOf = (view: Owners, object: ApiObject, reference: OwnerReference): boolean => {
  const { rules } = view
  const isCopy = reference.controller === true && rules >= (COPYING_KINDS[reference.kind] ?? rules + 1)
  return (
    !isCopy ||
    findOwner(view, object, reference).some((owner) => programsOf(owner, rules) === programsOf(object, rules))
  )
}

/** Whether the controller created the object: an object that it only adopted runs something else. */
export const isMadeByController = (view: Owners, object: ApiObject): boolean =>
  isControlled(view, object) &&
  (view.rules < RULES_WITH_OWNERS || ownersOf(object).every((reference) => isCopyOf(view, object, reference)))
