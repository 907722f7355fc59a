/** Deletion: at once, after a grace period, or when the last finalizer is gone. */
import type { Kind } from '../kinds/index.ts'
import { conflict, type KubeObject, type ObjectMeta, toTime } from '../meta/index.ts'
import type { DeleteOptions } from '../ports/index.ts'
import { admit, admitFinally, type Core, type WriteContext } from './core.ts'
import { mayGo } from './update-object.ts'

export interface Deletion {
  object: KubeObject
  /** Whether the object is gone already. */
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
  const refuse = (what: string, wanted: string, found: string, guess: string): never => {
    const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${guess}`
    throw conflict({ group: kind.group, plural: kind.kind }, metadata.name, why)
  }
  if (uid !== undefined && uid !== metadata.uid)
    refuse('UID', uid, metadata.uid, 'deleted and then recreated')
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified')
}

/** The finalizers that make the garbage collector see to the dependents first. */
const withPropagation = (kind: Kind, object: KubeObject, options: DeleteOptions): string[] => {
  const kept = (object.metadata.finalizers ?? []).filter((one) => one !== ORPHAN && one !== FOREGROUND)
  const existing = (object.metadata.finalizers ?? []).find((one) => one === ORPHAN || one === FOREGROUND)
  const wanted =
    options.propagation ?? (existing === undefined ? (kind.defaultPropagation ?? 'Background') : undefined)
  if (wanted === 'Orphan') return [...kept, ORPHAN]
  if (wanted === 'Foreground') return [...kept, FOREGROUND]
  return wanted === undefined ? [...kept, existing!] : kept
}

/** A shorter time counts from the same moment as the longer one before it. */
const deletionTime = (core: Core, { metadata }: KubeObject, grace: number): string => {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata
  if (deletionTimestamp === undefined) return toTime(core.clock.now() + grace * 1000)
  return toTime(Date.parse(deletionTimestamp) + (grace - deletionGracePeriodSeconds) * 1000)
}

const marked = (
  core: Core,
  kind: Kind,
  object: KubeObject,
  finalizers: string[],
  grace: number,
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
  kind.markDeleted?.(draft, { now: core.clock.now() })
  return draft
}

/** How many seconds the object still gets; undefined when a deletion under way is not to be changed. */
const graceFor = (kind: Kind, object: KubeObject, options: DeleteOptions): number | undefined => {
  const grace = kind.gracefulDeletion?.(object, options.gracePeriodSeconds) ?? 0
  if (object.metadata.deletionTimestamp === undefined) return grace
  const current = object.metadata.deletionGracePeriodSeconds ?? 0
  return options.gracePeriodSeconds !== undefined && grace < current ? grace : undefined
}

export const deleteObject = (
  core: Core,
  kind: Kind,
  object: KubeObject,
  options: DeleteOptions,
  context: WriteContext,
): Deletion => {
  checkPreconditions(kind, object, options)
  const { namespace = '', name } = object.metadata
  const subject = { operation: 'DELETE' as const, kind, namespace, name, old: object }
  admit(core, subject, context)
  admitFinally(core, subject, context)
  const grace = graceFor(kind, object, options)
  const finalizers = withPropagation(kind, object, options)
  const pending = object.metadata.deletionTimestamp !== undefined
  if (pending && grace === undefined && finalizers.join() === (object.metadata.finalizers ?? []).join())
    return { object, done: false }
  const current = object.metadata.deletionGracePeriodSeconds ?? 0
  const next = marked(core, kind, object, finalizers, grace ?? current)
  if (context.dryRun === true) return { object: next, done: mayGo(kind, next) }
  if (!mayGo(kind, next)) return { object: core.store.put(kind.id, next, object), done: false }
  // Graceful kinds leave with the marks of their deletion on them, the others as they were.
  const last = pending || kind.gracefulDeletion !== undefined ? next : object
  return { object: core.store.remove(kind.id, last), done: true }
}
