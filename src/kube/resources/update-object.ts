/** Updates: what a client may change, optimistic concurrency, and the end of objects that only waited for it. */
import { cloneJson, deepEqual } from '../../kit/index.ts'
import type { Kind } from '../kinds/index.ts'
import {
  conflict,
  type FieldError,
  invalid,
  invalidObject,
  type KubeObject,
  MODIFIED,
  type ObjectMeta,
  validateMetadata,
} from '../meta/index.ts'
import {
  admit,
  admitFinally,
  assignAddresses,
  book,
  type Core,
  ownFields,
  type WriteContext,
} from './core.ts'

/** Which part of the object the request addresses. */
export type UpdateScope = undefined | 'status' | 'finalize' | 'ephemeralcontainers' | 'scale'

/** Where the real server would keep it, which its refusals let slip. */
const storageKey = (kind: Kind, { metadata: { namespace, name } }: KubeObject): string =>
  ['/registry', ...(kind.schema === undefined ? [] : [kind.group]), kind.plural, namespace, name]
    .filter((part) => part !== undefined)
    .join('/')

const checkConcurrency = (kind: Kind, next: KubeObject, old: KubeObject): void => {
  const { uid, resourceVersion } = next.metadata
  if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
    throw conflict(
      kind,
      old.metadata.name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(kind, old)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    )
  }
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (kind.conditionalUpdate === true) {
      throw invalidObject(kind.group, kind.kind, old.metadata.name, [
        invalid('metadata.resourceVersion', { go: '0x0' }, 'must be specified for an update'),
      ])
    }
  } else if (resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(kind, old.metadata.name, MODIFIED)
  }
}

/** Server-owned metadata comes from the stored object, the rest from the client. */
const mergeMetadata = (given: Partial<ObjectMeta>, old: ObjectMeta): ObjectMeta => ({
  name: old.name,
  ...(old.generateName === undefined ? {} : { generateName: old.generateName }),
  ...(old.namespace === undefined ? {} : { namespace: old.namespace }),
  uid: old.uid,
  resourceVersion: old.resourceVersion,
  ...(old.generation === undefined ? {} : { generation: old.generation }),
  creationTimestamp: old.creationTimestamp,
  ...(old.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.deletionTimestamp }),
  ...(old.deletionGracePeriodSeconds === undefined
    ? {}
    : { deletionGracePeriodSeconds: old.deletionGracePeriodSeconds }),
  ...(given.labels && Object.keys(given.labels).length > 0 ? { labels: given.labels } : {}),
  ...(given.annotations && Object.keys(given.annotations).length > 0
    ? { annotations: given.annotations }
    : {}),
  ...(given.ownerReferences?.length ? { ownerReferences: given.ownerReferences } : {}),
  ...(given.finalizers?.length ? { finalizers: given.finalizers } : {}),
  ...(given.managedFields === undefined ? {} : { managedFields: given.managedFields }),
})

/** Whether what raises the generation is the same. Status counts too where it is no part of its own. */
const sameSpec = (kind: Kind, a: KubeObject, b: KubeObject): boolean => {
  const { metadata: _, status: before, ...left } = a
  const { metadata: __, status: after, ...right } = b
  return deepEqual(left, right) && (kind.hasStatus || deepEqual(before, after))
}

const sameObject = (a: KubeObject, b: KubeObject): boolean => {
  const { metadata: left, ...restA } = a
  const { metadata: right, ...restB } = b
  return (
    deepEqual(restA, restB) && deepEqual({ ...left, resourceVersion: '' }, { ...right, resourceVersion: '' })
  )
}

/** The draft of an update through the main resource: status stays as it is stored. */
const mainDraft = (kind: Kind, given: KubeObject, old: KubeObject): KubeObject => {
  const draft: KubeObject = {
    ...given,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: mergeMetadata(given.metadata, old.metadata),
  }
  if (kind.hasStatus) {
    if (old.status === undefined) delete draft.status
    else draft.status = old.status
  }
  return draft
}

/** The draft of an update through a subresource: only that part is taken from the client. */
const partDraft = (given: KubeObject, old: KubeObject, scope: UpdateScope): KubeObject => {
  const managed = given.metadata.managedFields
  const metadata = managed === undefined ? old.metadata : { ...old.metadata, managedFields: managed }
  switch (scope) {
    case 'status':
      return { ...old, metadata, status: given.status ?? {} }
    case 'ephemeralcontainers': {
      const spec = { ...cloneJson(old.spec), ephemeralContainers: given.spec?.ephemeralContainers }
      return { ...old, metadata, spec }
    }
    default:
      return { ...old, metadata, spec: given.spec ?? {} }
  }
}

const ONLY_BY_DELETION = 'field is immutable; may only be changed via deletion'

/** Marks of deletion are made by deletions alone; those that are there already stay without being asked for. */
const forgedDeletion = ({ metadata: given }: KubeObject, { metadata: old }: KubeObject): FieldError[] =>
  (['deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    .filter((field) => given[field] !== undefined && given[field] !== old[field])
    .filter((field) => field !== 'deletionTimestamp' || old.deletionTimestamp === undefined)
    .map((field) => invalid(`metadata.${field}`, given[field], ONLY_BY_DELETION))

const FINALIZERS_WHEN_DELETING =
  'no new finalizers can be added if the object is being deleted, found new finalizers '

const lateFinalizers = (next: KubeObject, old: KubeObject): FieldError[] => {
  if (old.metadata.deletionTimestamp === undefined) return []
  const added = (next.metadata.finalizers ?? []).filter(
    (one) => !(old.metadata.finalizers ?? []).includes(one),
  )
  return added.length === 0
    ? []
    : [
        {
          field: 'metadata.finalizers',
          reason: 'FieldValueForbidden',
          message: `Forbidden: ${FINALIZERS_WHEN_DELETING}[]string{${added.map((one) => JSON.stringify(one)).join(', ')}}`,
        },
      ]
}

/** What waits for nothing any more and was asked to go. */
export const mayGo = (kind: Kind, object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  (object.metadata.finalizers ?? []).length === 0 &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  kind.isHeld?.(object) !== true

/**
 * Stores a new state of `old`. `given` may share parts with stored objects only in a status update, which changes
 * nothing in place; otherwise it is the caller's no more.
 */
export const updateObject = (
  core: Core,
  kind: Kind,
  given: KubeObject,
  old: KubeObject,
  context: WriteContext,
  scope?: UpdateScope,
): KubeObject => {
  checkConcurrency(kind, given, old)
  const { namespace = '', name } = old.metadata
  const draft = scope === undefined ? mainDraft(kind, given, old) : partDraft(given, old, scope)
  const subject = {
    operation: 'UPDATE' as const,
    kind,
    namespace,
    name,
    subresource: scope,
    object: draft,
    old,
  }
  if (scope === undefined || scope === 'ephemeralcontainers') kind.defaults?.(draft)
  if (scope === 'status') kind.completeStatus?.(draft)
  ownFields(core, kind, draft, old, context, scope === 'status' || scope === 'scale' ? scope : undefined)
  admit(core, subject, context)
  const whole = scope === undefined
  if (whole) kind.prepareUpdate?.(draft, old, { now: core.clock.now() })
  const errors = [
    ...(whole ? assignAddresses(core, kind, draft, old) : []),
    ...(whole ? validateMetadata(draft.metadata, kind) : []),
    ...(whole ? forgedDeletion(given, old) : []),
    ...lateFinalizers(draft, old),
    ...(scope === 'status'
      ? (kind.validateStatus?.(draft, old) ?? [])
      : (kind.validate?.(draft, old, context.apiVersion) ?? [])),
  ]
  if (errors.length > 0) throw invalidObject(kind.group, kind.kind, name, errors)
  for (const warning of kind.warnings?.(draft, old) ?? []) context.warn?.(warning)
  admitFinally(core, subject, context)
  return commitUpdate(core, kind, draft, old, context, scope, () => book(core, subject, context))
}

/** The last steps, common to all updates: generation, what is due before the store, and the store. */
export const commitUpdate = (
  core: Core,
  kind: Kind,
  draft: KubeObject,
  old: KubeObject,
  context: WriteContext,
  scope: UpdateScope,
  beforePut: () => void = () => {},
): KubeObject => {
  const metadata = { ...draft.metadata, resourceVersion: old.metadata.resourceVersion }
  if (kind.hasGeneration === true && scope !== 'status' && !sameSpec(kind, draft, old))
    metadata.generation = (old.metadata.generation ?? 0) + 1
  const next: KubeObject = { ...draft, metadata }
  if (sameObject(next, old)) return old
  if (context.dryRun === true) return next
  if (mayGo(kind, next)) return core.store.remove(kind.id, next)
  beforePut()
  return core.store.put(kind.id, next, old)
}
