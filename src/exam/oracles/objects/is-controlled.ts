/** Checks whether a controller created an object and manages it. */

import { programsOf } from '#exam/effects'
import { type ApiObject, isCreatedByController, type KubeObject, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'

type OwnerReference = NonNullable<NonNullable<KubeObject<'Pod'>['metadata']>['ownerReferences']>[number]

/** The first version of the rules that looks up the owner: any client can write an owner reference. */
export const RULES_WITH_OWNERS = 2
/** The first version of the rules that compares a pod with owners of every kind. */
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

export type Owners = Pick<EpisodeFacts, 'owners' | 'rules'>

/** Whether the kinds of the owner and the object imply that a controller created the object. */
const isControllerReference = (object: ApiObject, { kind, controller }: OwnerReference): boolean =>
  controller === true && isCreatedByController(object, kind)

/** Like `isControlled`, but does not look up the owner: while a record is written, the owner may be listed later. */
export const hasControllerReference = (object: ApiObject): boolean =>
  ownersOf(object).some((reference) => isControllerReference(object, reference))

/** Whether an owner is a controller, which deletes or releases objects that it does not need. */
export const isControlled = (view: Owners, object: ApiObject): boolean =>
  ownersOf(object).some(
    (reference) =>
      isControllerReference(object, reference) &&
      (view.rules < RULES_WITH_OWNERS || findOwner(view, object, reference).length > 0),
  )

/**
 * Kinds of owners that copy their template into the objects that they create, with the first version of the
 * rules that compares them.
 */
const COPYING_KINDS: Readonly<Record<string, number>> = {
  Deployment: RULES_WITH_OWNERS,
  ReplicaSet: RULES_WITH_OWNERS,
  StatefulSet: RULES_WITH_OWNERS,
  DaemonSet: RULES_WITH_OWNERS,
  Job: RULES_WITH_ALL_OWNERS,
  ReplicationController: RULES_WITH_ALL_OWNERS,
}

/**
 * False if the owner copies its template into the objects that it creates, but the object runs other programs: the owner only
 * adopted it.
 */
export const mayBeCopyOf = (view: Owners, object: ApiObject, reference: OwnerReference): boolean => {
  const { rules } = view
  const mustBeCopy = reference.controller === true && rules >= (COPYING_KINDS[reference.kind] ?? rules + 1)
  return (
    !mustBeCopy ||
    findOwner(view, object, reference).some((owner) => programsOf(owner, rules) === programsOf(object, rules))
  )
}

/** Whether a controller created the object, and did not only adopt it. */
export const isMadeByController = (view: Owners, object: ApiObject): boolean =>
  isControlled(view, object) &&
  (view.rules < RULES_WITH_OWNERS ||
    ownersOf(object).every((reference) => mayBeCopyOf(view, object, reference)))

/** Whether the controller of a Job created the pod, and tracks it. */
export const isPodOfJob = (view: Owners, object: ApiObject): boolean =>
  object.kind === 'Pod' &&
  ownersOf(object).some(
    (reference) =>
      reference.kind === 'Job' &&
      isControllerReference(object, reference) &&
      findOwner(view, object, reference).length > 0 &&
      mayBeCopyOf(view, object, reference),
  )
