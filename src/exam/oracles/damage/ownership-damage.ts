/**
 * Finds finalizers and owner references that the solver added to existing objects, also to objects that controllers maintain. A
 * finalizer prevents the deletion of the object; an owner reference causes the object to be deleted together with the owner. Also
 * finds removed owners and changed ReplicaSets.
 */
import { cachePerObject } from '#kit'
import { type ApiObject, type Damage, isCreatedByController, isTerminating, labelsOf } from '#spec'
import { finalizersOf, misusedFinalizersOf } from '../objects/finalizers-of.ts'
import { toIntent } from '../objects/intent.ts'
import {
  findOwner,
  isControlled,
  mayBeCopyOf,
  ownersOf,
  RULES_WITH_ALL_OWNERS,
  RULES_WITH_OWNERS,
} from '../objects/is-controlled.ts'
import { isMaintained } from '../objects/is-endpoints-of-selector.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectKey } from '../view/object-set.ts'
import { driftOf } from './drift.ts'
import type { Permissions } from './permissions.ts'

/** The first version of the rules that checks whether the control plane would add a finalizer of its own to the object. */
const RULES_WITH_MISUSED_FINALIZERS = 6

type Owner = ReturnType<typeof ownersOf>[number]

const isSameOwner = (a: Owner, b: Owner): boolean =>
  a.uid === b.uid &&
  a.kind === b.kind &&
  a.apiVersion === b.apiVersion &&
  a.name === b.name &&
  a.controller === b.controller

/** The states of the object before the solver started. */
const statesBefore = ({ objects }: EpisodeFacts, object: ApiObject): readonly ApiObject[] => {
  const key = toObjectKey(object)
  return [objects.baseline.get(key), objects.injected.get(key)].filter((state) => state !== undefined)
}

/** Owners that the object did not have, unless their controller adopted it. */
const newOwners = (view: EpisodeFacts, object: ApiObject, before: readonly ApiObject[]): string[] => {
  const known = before.flatMap(ownersOf)
  return ownersOf(object)
    .filter((owner) => !known.some((other) => isSameOwner(other, owner)))
    .filter(
      (owner) =>
        !isCreatedByController(object, owner.kind) ||
        findOwner(view, object, owner).length === 0 ||
        // A Deployment may adopt ReplicaSets of earlier templates.
        (object.kind === 'Pod' && view.rules >= RULES_WITH_ALL_OWNERS && !mayBeCopyOf(view, object, owner)),
    )
    .map(({ kind, name }) => `has the new owner ${kind}/${name}`)
}

/** Owners that still exist, but no longer own the object. */
const lostOwners = ({ objects }: EpisodeFacts, object: ApiObject): string[] => {
  const before = objects.injected.get(toObjectKey(object))
  if (before === undefined || before.metadata.uid !== object.metadata.uid) return []
  const owners = ownersOf(object)
  const lost = ownersOf(before).filter(({ uid }) => !owners.some((owner) => owner.uid === uid))
  if (lost.length === 0) return []
  const existing = new Set([...objects.now.values()].map(({ metadata }) => metadata.uid))
  return lost.filter(({ uid }) => existing.has(uid)).map(({ kind, name }) => `lost its owner ${kind}/${name}`)
}

/**
 * New finalizers of pods and maintained objects, and new ones with a misused name of the control plane. Other finalizers of other
 * objects are compared as part of their content.
 */
const newFinalizers = (view: EpisodeFacts, object: ApiObject, before: readonly ApiObject[]): string[] => {
  const isComparedHere = object.kind === 'Pod' || isMaintained(object) || isControlled(view, object)
  const known = before.flatMap(({ metadata }) => (metadata.finalizers ?? []) as readonly unknown[])
  const found = [
    ...(isComparedHere ? finalizersOf(object) : []),
    ...(view.rules >= RULES_WITH_MISUSED_FINALIZERS ? misusedFinalizersOf(view, object) : []),
  ]
  return found.filter((name) => !known.includes(name)).map((name) => `has the new finalizer ${name}`)
}

const toSetContent = cachePerObject((set: ApiObject): object => {
  const { labels, annotations, programs } = toIntent(set)
  return { labels, annotations, programs }
})

/** Changes to the labels, annotations and programs of a ReplicaSet that its Deployment maintains. */
const replicaSetDrift = (view: EpisodeFacts, set: ApiObject): string[] => {
  const key = toObjectKey(set)
  const [baseline, injected] = [view.objects.baseline.get(key), view.objects.injected.get(key)]
  if (set.kind !== 'ReplicaSet' || injected === undefined || !isControlled(view, set)) return []
  return driftOf({
    now: toSetContent(set),
    baseline: toSetContent(baseline ?? injected),
    injected: toSetContent(injected),
  })
}

const damageTo = (view: EpisodeFacts, permissions: Permissions, object: ApiObject): readonly string[] => {
  const before = statesBefore(view, object)
  // `additionDamage` judges other new objects.
  if (before.length === 0 && !isControlled(view, object)) return []
  const isPermitted = permissions.services.has(labelsOf(object).app ?? '')
  return [
    ...newOwners(view, object, before),
    ...newFinalizers(view, object, before),
    ...(isPermitted ? [] : [...lostOwners(view, object), ...replicaSetDrift(view, object)]),
  ]
}

export const ownershipDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  if (view.rules < RULES_WITH_OWNERS) return []
  return [...view.objects.now.values()]
    .filter((object) => !isTerminating(object) && !object.apiVersion.startsWith('chaos-mesh.org/'))
    .flatMap((object) =>
      damageTo(view, permissions, object).map((what) => ({
        object: `${object.kind}/${object.metadata.name}`,
        what: `${what}, although nothing was wrong with it`,
      })),
    )
}
