/** Garbage collection: what loses its last owner goes, and owners wait for their dependents where they must. */
import { deepEqual } from '../../kit/index.ts'
import type { Kind } from '../kinds/index.ts'
import { isNotFound, type KubeObject, type OwnerReference } from '../meta/index.ts'
import type { Client, WatchEvent } from '../ports/index.ts'
import { type Controller, type ControllerContext, defineController } from './define-controller.ts'
import { watchEverything } from './watch-everything.ts'

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

/** Who depends on whom, by the uid of the owner. */
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

  of(uid: string): string[] {
    return [...(this.#byOwner.get(uid) ?? [])]
  }
}

const locate = (client: Client, key: string): { kind: Kind; object: KubeObject } | undefined => {
  const [id, namespace = '', ...rest] = key.split('|')
  // Names of roles may contain anything.
  const name = rest.join('|')
  const kind = client.kinds().find((one) => one.id === id)
  const object = kind && (client.get(kind, namespace, name) as KubeObject | undefined)
  return kind === undefined || object === undefined ? undefined : { kind, object }
}

type OwnerState = 'solid' | 'gone' | 'waiting'

const ownerState = (client: Client, dependent: KubeObject, reference: OwnerReference): OwnerState => {
  const kind = client.kindOf(reference.apiVersion, reference.kind)
  if (kind === undefined) return 'solid'
  // What belongs to the whole cluster cannot be owned from inside a namespace: such a reference is never resolved.
  if (kind.namespaced && dependent.metadata.namespace === undefined) return 'solid'
  // An owner in another namespace cannot be told from one that never was.
  const owner = client.get(kind, dependent.metadata.namespace ?? '', reference.name) as KubeObject | undefined
  if (owner === undefined || owner.metadata.uid !== reference.uid) return 'gone'
  return waitsForDependents(owner) ? 'waiting' : 'solid'
}

const without = (object: KubeObject, uids: ReadonlySet<string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences: ownersOf(object).filter(({ uid }) => !uids.has(uid)) },
})

/** Lets the owners go without waiting for the object. */
const unblock = (client: Client, kind: Kind, object: KubeObject): void => {
  const ownerReferences = ownersOf(object).map((one) => ({ ...one, blockOwnerDeletion: false }))
  client.update(kind, { ...object, metadata: { ...object.metadata, ownerReferences } })
}

const withoutFinalizer = (object: KubeObject, finalizer: string): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    finalizers: (object.metadata.finalizers ?? []).filter((one) => one !== finalizer),
  },
})

const deleteIfThere = (
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

/** Lets the dependents go their own way, then the owner go. */
const orphanDependents = (
  context: ControllerContext,
  dependents: Dependents,
  kind: Kind,
  owner: KubeObject,
): void => {
  for (const key of dependents.of(owner.metadata.uid)) {
    const found = locate(context.client, key)
    if (found !== undefined)
      context.client.update(found.kind, without(found.object, new Set([owner.metadata.uid])))
  }
  context.client.update(kind, withoutFinalizer(owner, ORPHAN))
}

/** Deletes those dependents that the owner must outlive; without any left, the owner may go. */
const deleteDependents = (
  context: ControllerContext,
  dependents: Dependents,
  kind: Kind,
  owner: KubeObject,
): void => {
  const { uid } = owner.metadata
  const blocking = dependents.of(uid).flatMap((key) => {
    const found = locate(context.client, key)
    const reference = found && ownersOf(found.object).find((one) => one.uid === uid)
    return found !== undefined && reference?.blockOwnerDeletion === true ? [found] : []
  })
  if (blocking.length === 0) {
    context.client.update(kind, withoutFinalizer(owner, FOREGROUND))
    return
  }
  for (const { kind: dependentKind, object } of blocking) collect(context, dependents, dependentKind, object)
}

/** Deletes an object whose owners are all gone or going; drops references to those that are, where others stay. */
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
  const solid = states.some(({ state }) => state === 'solid')
  const leaving = states.filter(({ state }) => state !== 'solid')
  if (leaving.length === 0) return
  if (solid) {
    client.update(kind, without(object, new Set(leaving.map(({ reference }) => reference.uid))))
    return
  }
  const own = dependents.of(object.metadata.uid).map((key) => locate(client, key)?.object)
  if (own.length > 0 && leaving.some(({ state }) => state === 'waiting')) {
    // One of its dependents is also above it: without this the two would wait for each other.
    if (own.some((one) => one !== undefined && waitsForDependents(one))) unblock(client, kind, object)
    deleteIfThere(client, kind, object, 'Foreground')
  } else if (hasFinalizer(object, ORPHAN)) deleteIfThere(client, kind, object, 'Orphan')
  else if (hasFinalizer(object, FOREGROUND)) deleteIfThere(client, kind, object, 'Foreground')
  else deleteIfThere(client, kind, object, 'Background')
}

export const createGarbageCollector = (): Controller => {
  const dependents = new Dependents()

  const wakeOwners = ({ client, requeue }: ControllerContext, dependent: KubeObject): void => {
    for (const { apiVersion, kind, name } of ownersOf(dependent)) {
      const owner = client.kindOf(apiVersion, kind)
      if (owner === undefined) continue
      const namespace = owner.namespaced ? (dependent.metadata.namespace ?? '') : ''
      requeue(`${owner.id}|${namespace}|${name}`, 0)
    }
  }
  const wakeDependents = ({ requeue }: ControllerContext, owner: KubeObject): void => {
    for (const key of dependents.of(owner.metadata.uid)) requeue(key, 0)
  }

  const note = (context: ControllerContext, kind: Kind, event: WatchEvent): void => {
    const object = event.object as KubeObject
    const old = event.old as KubeObject | undefined
    const key = keyOf(kind, object)
    if (old !== undefined) dependents.remove(key, old)
    if (event.type === 'DELETED') {
      wakeDependents(context, object)
      wakeOwners(context, object)
      return
    }
    dependents.add(key, object)
    const sameOwners = old !== undefined && deepEqual(ownersOf(old), ownersOf(object))
    if (isDeleting(object) || (!sameOwners && ownersOf(object).length > 0)) context.requeue(key, 0)
    if (old === undefined) return
    if (!sameOwners) wakeOwners(context, old)
    if (waitsForDependents(object) && !waitsForDependents(old)) wakeDependents(context, object)
  }

  return defineController({
    name: 'generic-garbage-collector',
    user: 'system:serviceaccount:kube-system:generic-garbage-collector',
    watches: [],
    start: (context) => watchEverything(context.client, (kind, event) => note(context, kind, event)),
    reconcile(key, context) {
      const found = locate(context.client, key)
      if (found === undefined) return
      const { kind, object } = found
      if (isDeleting(object) && hasFinalizer(object, ORPHAN))
        orphanDependents(context, dependents, kind, object)
      else if (waitsForDependents(object)) deleteDependents(context, dependents, kind, object)
      else collect(context, dependents, kind, object)
    },
  })
}
