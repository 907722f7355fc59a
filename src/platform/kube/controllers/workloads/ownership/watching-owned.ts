/** A controller's watch on the objects it creates: reconciles the owner, or the possible adopters of an orphan. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { deepEqual } from '#kit'
import type { Kind } from '#platform/kube/kinds'
import { controllerOf, type OwnerReference, type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import { keyOf, type Watch, watching } from '../../define-controller.ts'

/** Returns the key of the controlling owner, if it is of this kind. */
export const ownerKey = (
  owner: Kind,
  object: { metadata: { namespace?: string; ownerReferences?: OwnerReference[] } },
): string | undefined => {
  const reference = controllerOf(object)
  return reference?.kind === owner.kind && reference.apiVersion === owner.apiVersion
    ? `${object.metadata.namespace}/${reference.name}`
    : undefined
}

const canChangeAdopters = (event: WatchEvent): boolean =>
  event.type === 'ADDED' ||
  !deepEqual(event.object.metadata.labels, event.old.metadata.labels) ||
  !deepEqual(controllerOf(event.object), controllerOf(event.old))

const findAdopters = <O>(
  client: Client,
  owner: Kind<O>,
  selectorOf: (owner: Stored<O>) => LabelSelector | undefined,
  event: WatchEvent,
): string[] => {
  if (event.type === 'DELETED' || controllerOf(event.object) !== undefined || !canChangeAdopters(event))
    return []
  return client
    .list(owner, event.object.metadata.namespace)
    .filter((candidate) => toLabelMatcher(selectorOf(candidate))(event.object.metadata.labels))
    .map(keyOf)
}

export const watchingOwned = <T, O>(
  owned: Kind<T>,
  owner: Kind<O>,
  selectorOf: (owner: Stored<O>) => LabelSelector | undefined,
): Watch =>
  watching(owned, (event: WatchEvent<T>, { client }) => {
    const current = ownerKey(owner, event.object)
    const before = event.old === undefined ? undefined : ownerKey(owner, event.old)
    const keys = current === undefined ? findAdopters(client, owner, selectorOf, event) : [current]
    return before === undefined || before === current ? keys : [...keys, before]
  })
