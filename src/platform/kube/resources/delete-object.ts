/** Deletes objects: immediately, after a grace period, or when the last finalizer is removed. */
import type { Kind } from '#platform/kube/kinds'
import { conflict, type KubeObject, type ObjectMeta, toTime } from '#platform/kube/meta'
import type { DeleteOptions } from '#platform/kube/ports'
import { admit, type Core, validateAdmission, type WriteContext } from './core.ts'
import { canRemove } from './update-object.ts'

export interface Deletion {
  object: KubeObject
  /** Whether the object is already removed. */
  done: boolean
}

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

export const checkPreconditions = (
  kind: Kind,
  object: KubeObject,
  { preconditions }: DeleteOptions,
): void => {
  const { uid, resourceVersion } = preconditions ?? {}
  const { metadata } = object
  const reject = (property: string, expected: string, found: string, likelyCause: string): never => {
    const detail = `the ${property} in the precondition (${expected}) does not match the ${property} in record (${found}). The object might have been ${likelyCause}`
    throw conflict({ group: kind.group, plural: kind.kind }, metadata.name, detail)
  }
  if (uid !== undefined && uid !== metadata.uid)
    reject('UID', uid, metadata.uid, 'deleted and then recreated')
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    reject('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified')
}

/** The object's finalizers, with the one that tells the garbage collector how to treat dependents. */
const propagationFinalizers = (kind: Kind, object: KubeObject, options: DeleteOptions): string[] => {
  const otherFinalizers = (object.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND,
  )
  const existing = (object.metadata.finalizers ?? []).find(
    (finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND,
  )
  const propagation =
    options.propagation ?? (existing === undefined ? (kind.defaultPropagation ?? 'Background') : undefined)
  if (propagation === 'Orphan') return [...otherFinalizers, ORPHAN]
  if (propagation === 'Foreground') return [...otherFinalizers, FOREGROUND]
  return propagation === undefined ? [...otherFinalizers, existing!] : otherFinalizers
}

/** A shortened grace period counts from the first deletion request. */
const deletionTime = (core: Core, { metadata }: KubeObject, grace: number): string => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata
  if (deletionTimestamp === undefined) return toTime(core.clock.now() + grace * 1000)
  return toTime(Date.parse(deletionTimestamp) + (grace - deletionGracePeriodSeconds) * 1000)
}

/** Sets the deletion timestamp, grace period and finalizers. */
const markDeleted = (
  core: Core,
  kind: Kind,
  object: KubeObject,
  { finalizers, grace }: { finalizers: string[]; grace: number },
): KubeObject => {
  const { finalizers: _, ...rest } = object.metadata
  const metadata: ObjectMeta = {
    ...rest,
    deletionTimestamp: deletionTime(core, object, grace),
    deletionGracePeriodSeconds: grace,
    ...(finalizers.length > 0 ? { finalizers } : {}),
  }
  if (metadata.generation !== undefined && object.metadata.deletionTimestamp === undefined)
    metadata.generation += 1
  const draft: KubeObject = { ...object, metadata }
  kind.prepareDelete?.(draft, { now: core.clock.now() })
  return draft
}

/** The grace period in seconds; undefined if a pending deletion keeps its current one. */
const graceFor = (kind: Kind, object: KubeObject, options: DeleteOptions): number | undefined => {
  const grace = kind.gracefulDeletion?.(object, options.gracePeriodSeconds) ?? 0
  if (object.metadata.deletionTimestamp === undefined) return grace
  const current = object.metadata.deletionGracePeriodSeconds ?? 0
  return options.gracePeriodSeconds !== undefined && grace < current ? grace : undefined
}

export interface DeletionRequest {
  kind: Kind
  object: KubeObject
  options: DeleteOptions
}

export const deleteObject = (
  core: Core,
  { kind, object, options }: DeletionRequest,
  context: WriteContext,
): Deletion => {
  checkPreconditions(kind, object, options)
  const { namespace = '', name } = object.metadata
  const subject = { operation: 'DELETE' as const, kind, namespace, name, old: object }
  admit(core, subject, context)
  validateAdmission(core, subject, context)
  const grace = graceFor(kind, object, options)
  const finalizers = propagationFinalizers(kind, object, options)
  const pending = object.metadata.deletionTimestamp !== undefined
  if (pending && grace === undefined && finalizers.join() === (object.metadata.finalizers ?? []).join())
    return { object, done: false }
  const current = object.metadata.deletionGracePeriodSeconds ?? 0
  const next = markDeleted(core, kind, object, { finalizers, grace: grace ?? current })
  if (context.dryRun === true) return { object: next, done: canRemove(kind, next) }
  if (!canRemove(kind, next)) return { object: core.store.put(kind.id, next, object), done: false }
  // Kinds with graceful deletion are removed with their deletion timestamp, others unchanged.
  const last = pending || kind.gracefulDeletion !== undefined ? next : object
  return { object: core.store.remove(kind.id, last), done: true }
}
