/** The garbage collector: deletes objects whose owners are gone, and handles foreground and orphan deletion. */
import { deepEqual } from '#kit'
import type { Kind } from '#platform/kube/kinds'
import { isNotFound, type KubeObject, type OwnerReference } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import { type Controller, type ControllerContext, defineController } from '../define-controller.ts'
import { watchEverything } from '../watch-everything.ts'

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

const keyOf = (kind: Kind, { metadata }: KubeObject): string =>
  `${kind.id}|${metadata.namespace ?? ''}|${metadata.name}`
const hasFinalizer = (object: KubeObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) === true
const isDeleting = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined
const waitsForDependents = (object: KubeObject): boolean =>
  isDeleting(object) && hasFinalizer(object, FOREGROUND)
const ownersOf = (object: KubeObject): readonly OwnerReference[] => object.metadata.ownerReferences ?? []

/** Index of the keys of dependents by the uid of their owner. */
class Dependents {
  readonly #byOwner = new Map<string, Set<string>>()

  add(key: string, object: KubeObject): void {
    for (const { uid } of ownersOf(object)) {
      const keys = this.#byOwner.get(uid)
      if (keys === undefined) this.#byOwner.set(uid, new Set([key]))
      else keys.add(key)
    }
  }

  remove(key: string, object: KubeObject): void {
    for (const { uid } of ownersOf(object)) {
      const keys = this.#byOwner.get(uid)
      keys?.delete(key)
      if (keys?.size === 0) this.#byOwner.delete(uid)
    }
  }

  keysOf(uid: string): string[] {
    return [...(this.#byOwner.get(uid) ?? [])]
  }
}

const findByKey = (client: Client, key: string): { kind: Kind; object: KubeObject } | undefined => {
  const [id, namespace = '', ...rest] = key.split('|')
  // Names of roles may contain the separator.
  const name = rest.join('|')
  const kind = client.kinds().find((candidate) => candidate.id === id)
  const object = kind && (client.get(kind, namespace, name) as KubeObject | undefined)
  return kind === undefined || object === undefined ? undefined : { kind, object }
}

type OwnerState = 'solid' | 'dangling' | 'waiting'

const ownerState = (client: Client, dependent: KubeObject, reference: OwnerReference): OwnerState => {
  const kind = client.kindOf(reference.apiVersion, reference.kind)
  if (kind === undefined) return 'solid'
  // A cluster-scoped object cannot have a namespaced owner; such a reference is never resolved.
  if (kind.namespaced && dependent.metadata.namespace === undefined) return 'solid'
  // An owner in another namespace counts as missing.
  const owner = client.get(kind, dependent.metadata.namespace ?? '', reference.name) as KubeObject | undefined
  if (owner === undefined || owner.metadata.uid !== reference.uid) return 'dangling'
  return waitsForDependents(owner) ? 'waiting' : 'solid'
}

const withoutOwners = (object: KubeObject, uids: ReadonlySet<string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences: ownersOf(object).filter(({ uid }) => !uids.has(uid)) },
})

/** Clears `blockOwnerDeletion`, so that the owners no longer wait for the object. */
const unblock = (client: Client, kind: Kind, object: KubeObject): void => {
  const ownerReferences = ownersOf(object).map((owner) => ({ ...owner, blockOwnerDeletion: false }))
  client.update(kind, { ...object, metadata: { ...object.metadata, ownerReferences } })
}

const withoutFinalizer = (object: KubeObject, finalizer: string): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    finalizers: (object.metadata.finalizers ?? []).filter((candidate) => candidate !== finalizer),
  },
})

const deleteIfExists = (
  client: Client,
  kind: Kind,
  object: KubeObject,
  propagation: 'Background' | 'Foreground' | 'Orphan',
): void => {
  const { namespace = '', name, uid } = object.metadata
  try {
    client.delete(kind, namespace, name, { propagation, preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Removes the owner reference from the dependents, then the orphan finalizer from the owner. */
const orphanDependents = (
  context: ControllerContext,
  dependents: Dependents,
  kind: Kind,
  owner: KubeObject,
): void => {
  for (const key of dependents.keysOf(owner.metadata.uid)) {
    const found = findByKey(context.client, key)
    if (found !== undefined)
      context.client.update(found.kind, withoutOwners(found.object, new Set([owner.metadata.uid])))
  }
  context.client.update(kind, withoutFinalizer(owner, ORPHAN))
}

/** Deletes the blocking dependents, or removes the foreground finalizer if none remain. */
const deleteDependents = (
  context: ControllerContext,
  dependents: Dependents,
  kind: Kind,
  owner: KubeObject,
): void => {
  const { uid } = owner.metadata
  const blocking = dependents.keysOf(uid).flatMap((key) => {
    const found = findByKey(context.client, key)
    const reference = found && ownersOf(found.object).find((owner) => owner.uid === uid)
    return found !== undefined && reference?.blockOwnerDeletion === true ? [found] : []
  })
  if (blocking.length === 0) {
    context.client.update(kind, withoutFinalizer(owner, FOREGROUND))
    return
  }
  for (const { kind: dependentKind, object } of blocking) collect(context, dependents, dependentKind, object)
}

/** Deletes an object if no solid owner remains; otherwise removes the references to its other owners. */
const collect = (
  context: ControllerContext,
  dependents: Dependents,
  kind: Kind,
  object: KubeObject,
): void => {
  const { client } = context
  const references = ownersOf(object)
  if (references.length === 0 || isDeleting(object)) return
  const states = references.map((reference) => ({ reference, state: ownerState(client, object, reference) }))
  const hasSolid = states.some(({ state }) => state === 'solid')
  const removable = states.filter(({ state }) => state !== 'solid')
  if (removable.length === 0) return
  if (hasSolid) {
    client.update(kind, withoutOwners(object, new Set(removable.map(({ reference }) => reference.uid))))
    return
  }
  const owned = dependents.keysOf(object.metadata.uid).map((key) => findByKey(client, key)?.object)
  if (owned.length > 0 && removable.some(({ state }) => state === 'waiting')) {
    // A dependent that also waits for its own dependents may own this object; unblocking avoids a deadlock.
    if (owned.some((child) => child !== undefined && waitsForDependents(child))) unblock(client, kind, object)
    deleteIfExists(client, kind, object, 'Foreground')
  } else if (hasFinalizer(object, ORPHAN)) deleteIfExists(client, kind, object, 'Orphan')
  else if (hasFinalizer(object, FOREGROUND)) deleteIfExists(client, kind, object, 'Foreground')
  else deleteIfExists(client, kind, object, 'Background')
}

export const createGarbageCollector = (): Controller => {
  const dependents = new Dependents()

  const requeueOwners = ({ client, requeue }: ControllerContext, dependent: KubeObject): void => {
    for (const { apiVersion, kind, name } of ownersOf(dependent)) {
      const owner = client.kindOf(apiVersion, kind)
      if (owner === undefined) continue
      const namespace = owner.namespaced ? (dependent.metadata.namespace ?? '') : ''
      requeue(`${owner.id}|${namespace}|${name}`, 0)
    }
  }
  const requeueDependents = ({ requeue }: ControllerContext, owner: KubeObject): void => {
    for (const key of dependents.keysOf(owner.metadata.uid)) requeue(key, 0)
  }

  const handleEvent = (context: ControllerContext, kind: Kind, event: WatchEvent): void => {
    const object = event.object as KubeObject
    const old = event.old as KubeObject | undefined
    const key = keyOf(kind, object)
    if (old !== undefined) dependents.remove(key, old)
    if (event.type === 'DELETED') {
      requeueDependents(context, object)
      requeueOwners(context, object)
      return
    }
    dependents.add(key, object)
    const hasSameOwners = old !== undefined && deepEqual(ownersOf(old), ownersOf(object))
    if (isDeleting(object) || (!hasSameOwners && ownersOf(object).length > 0)) context.requeue(key, 0)
    if (old === undefined) return
    if (!hasSameOwners) requeueOwners(context, old)
    if (waitsForDependents(object) && !waitsForDependents(old)) requeueDependents(context, object)
  }

  return defineController({
    name: 'generic-garbage-collector',
    user: 'system:serviceaccount:kube-system:generic-garbage-collector',
    watches: [],
    start: (context) => watchEverything(context.client, (kind, event) => handleEvent(context, kind, event)),
    reconcile(key, context) {
      const found = findByKey(context.client, key)
      if (found === undefined) return
      const { kind, object } = found
      if (isDeleting(object) && hasFinalizer(object, ORPHAN))
        orphanDependents(context, dependents, kind, object)
      else if (waitsForDependents(object)) deleteDependents(context, dependents, kind, object)
      else collect(context, dependents, kind, object)
    },
  })
}
