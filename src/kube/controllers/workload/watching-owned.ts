/** The watch of a controller on what it makes: wakes the owner, or whoever could adopt an orphan. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import { deepEqual } from '../../../kit/index.ts'
import type { Kind } from '../../kinds/index.ts'
import { controllerOf, matcherOf, type OwnerReference, type Stored } from '../../meta/index.ts'
import type { Client, WatchEvent } from '../../ports/index.ts'
import { keyOf, type Watch, watching } from '../define-controller.ts'

/** The key of the controlling owner, where it is of this kind. */
export const ownerKey = (
  owner: Kind,
  object: { metadata: { namespace?: string; ownerReferences?: OwnerReference[] } },
): string | undefined => {
  const reference = controllerOf(object)
  return reference?.kind === owner.kind && reference.apiVersion === owner.apiVersion
    ? `${object.metadata.namespace}/${reference.name}`
    : undefined
}

const changedHands = (event: WatchEvent): boolean =>
  event.type === 'ADDED' ||
  !deepEqual(event.object.metadata.labels, event.old.metadata.labels) ||
  !deepEqual(controllerOf(event.object), controllerOf(event.old))

const adopters = <O>(
  client: Client,
  owner: Kind<O>,
  selectorOf: (owner: Stored<O>) => LabelSelector | undefined,
  event: WatchEvent,
): string[] => {
  if (event.type === 'DELETED' || controllerOf(event.object) !== undefined || !changedHands(event)) return []
  return client
    .list(owner, event.object.metadata.namespace)
    .filter((candidate) => matcherOf(selectorOf(candidate))(event.object.metadata.labels))
    .map(keyOf)
}

export const watchingOwned = <T, O>(
  owned: Kind<T>,
  owner: Kind<O>,
  selectorOf: (owner: Stored<O>) => LabelSelector | undefined,
): Watch =>
  watching(owned, (event: WatchEvent<T>, { client }) => {
    const now = ownerKey(owner, event.object)
    const before = event.old === undefined ? undefined : ownerKey(owner, event.old)
    const keys = now === undefined ? adopters(client, owner, selectorOf, event) : [now]
    return before === undefined || before === now ? keys : [...keys, before]
  })
