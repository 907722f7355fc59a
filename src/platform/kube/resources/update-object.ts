/** Updates objects with optimistic concurrency; removes an object whose last finalizer is removed. */
import { cloneJson, deepEqual, defined } from '#kit'
import type { Kind } from '#platform/kube/kinds'
import {
  ApiError,
  conflict,
  type FieldError,
  invalid,
  invalidObject,
  type KubeObject,
  OBJECT_MODIFIED,
  type ObjectMeta,
  validateMetadata,
  versionProblem,
} from '#platform/kube/meta'
import {
  admit,
  assignAddresses,
  type Core,
  commitAdmission,
  trackFields,
  validateAdmission,
  type WriteContext,
} from './core.ts'

/** The part of the object that an update addresses; undefined for the main resource. */
export type UpdateScope = undefined | 'status' | 'finalize' | 'ephemeralcontainers' | 'scale'

/** The etcd key of a real server, which appears in its error messages. */
const storageKey = (kind: Kind, { metadata: { namespace, name } }: KubeObject): string =>
  ['/registry', ...(kind.schema === undefined ? [] : [kind.group]), kind.plural, namespace, name]
    .filter((part) => part !== undefined)
    .join('/')

const IMMUTABLE = 'field is immutable'

/** Formats a time as Go prints it. */
const goTime = (time: string): { go: string } => ({
  go: time.replace('T', ' ').replace(/Z$/, ' +0000 UTC'),
})

/** An update may omit or repeat the UID and the creation time, but not change them. */
const validateIdentity = ({ metadata: next }: KubeObject, { metadata: old }: KubeObject): FieldError[] => {
  const { uid = '', creationTimestamp = '' } = next
  return [
    ...(uid === '' || uid === old.uid ? [] : [invalid('metadata.uid', uid, IMMUTABLE)]),
    ...(creationTimestamp === '' || creationTimestamp === old.creationTimestamp
      ? []
      : [invalid('metadata.creationTimestamp', goTime(creationTimestamp), IMMUTABLE)]),
  ]
}

const checkConcurrency = (kind: Kind, next: KubeObject, old: KubeObject, isPatch: boolean): void => {
  const { uid, resourceVersion } = next.metadata
  if (!isPatch && uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
    throw conflict(
      kind,
      old.metadata.name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(kind, old)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    )
  }
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (kind.requireResourceVersion === true) {
      throw invalidObject(kind.group, kind.kind, old.metadata.name, [
        invalid('metadata.resourceVersion', { go: '0x0' }, 'must be specified for an update'),
      ])
    }
    return
  }
  const problem = versionProblem(resourceVersion)
  if (problem !== undefined) throw new ApiError(500, '', problem)
  if (resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(kind, old.metadata.name, OBJECT_MODIFIED)
  }
}

/** Takes server-owned metadata from the stored object and the rest from the client. */
const mergeMetadata = (requested: Partial<ObjectMeta>, old: ObjectMeta): ObjectMeta => ({
  name: old.name,
  ...defined({ generateName: old.generateName, namespace: old.namespace }),
  uid: old.uid,
  resourceVersion: old.resourceVersion,
  ...defined({ generation: old.generation }),
  creationTimestamp: old.creationTimestamp,
  ...defined({
    deletionTimestamp: old.deletionTimestamp,
    deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
  }),
  ...(requested.labels && Object.keys(requested.labels).length > 0 ? { labels: requested.labels } : {}),
  ...(requested.annotations && Object.keys(requested.annotations).length > 0
    ? { annotations: requested.annotations }
    : {}),
  ...(requested.ownerReferences?.length ? { ownerReferences: requested.ownerReferences } : {}),
  ...(requested.finalizers?.length ? { finalizers: requested.finalizers } : {}),
  ...defined({ managedFields: requested.managedFields }),
})

/** Whether the generation stays the same. The status counts too if the kind has no status subresource. */
const isSameSpec = (kind: Kind, a: KubeObject, b: KubeObject): boolean => {
  const { metadata: _, status: before, ...left } = a
  const { metadata: __, status: after, ...right } = b
  return deepEqual(left, right) && (kind.hasStatus || deepEqual(before, after))
}

const isSameObject = (a: KubeObject, b: KubeObject): boolean => {
  const { metadata: left, ...restA } = a
  const { metadata: right, ...restB } = b
  return (
    deepEqual(restA, restB) && deepEqual({ ...left, resourceVersion: '' }, { ...right, resourceVersion: '' })
  )
}

/** The draft for an update of the main resource; keeps the status. */
const mainDraft = (kind: Kind, requested: KubeObject, old: KubeObject): KubeObject => {
  const draft: KubeObject = {
    ...requested,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: mergeMetadata(requested.metadata, old.metadata),
  }
  if (kind.hasStatus) {
    if (old.status === undefined) delete draft.status
    else draft.status = old.status
  }
  return draft
}

/** The draft for an update of a subresource; keeps everything else. */
const subresourceDraft = (requested: KubeObject, old: KubeObject, scope: UpdateScope): KubeObject => {
  const managed = requested.metadata.managedFields
  const metadata = managed === undefined ? old.metadata : { ...old.metadata, managedFields: managed }
  switch (scope) {
    case 'status':
      return { ...old, metadata, status: requested.status ?? {} }
    case 'ephemeralcontainers': {
      const spec = { ...cloneJson(old.spec), ephemeralContainers: requested.spec?.ephemeralContainers }
      return { ...old, metadata, spec }
    }
    default:
      return { ...old, metadata, spec: requested.spec ?? {} }
  }
}

const ONLY_BY_DELETION = 'field is immutable; may only be changed via deletion'

/** Only a deletion can set the deletion fields; updates may omit or repeat them. */
const validateDeletionFields = (
  { metadata: requested }: KubeObject,
  { metadata: old }: KubeObject,
): FieldError[] =>
  (['deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    .filter((field) => requested[field] !== undefined && requested[field] !== old[field])
    .filter((field) => field !== 'deletionTimestamp' || old.deletionTimestamp === undefined)
    .map((field) => invalid(`metadata.${field}`, requested[field], ONLY_BY_DELETION))

const FINALIZERS_WHEN_DELETING =
  'no new finalizers can be added if the object is being deleted, found new finalizers '

const validateFinalizers = (next: KubeObject, old: KubeObject): FieldError[] => {
  if (old.metadata.deletionTimestamp === undefined) return []
  const added = (next.metadata.finalizers ?? []).filter(
    (finalizer) => !(old.metadata.finalizers ?? []).includes(finalizer),
  )
  return added.length === 0
    ? []
    : [
        {
          field: 'metadata.finalizers',
          reason: 'FieldValueForbidden',
          message: `Forbidden: ${FINALIZERS_WHEN_DELETING}[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`,
        },
      ]
}

/** Whether the object is marked for deletion, and no finalizer, grace period or rule of its kind keeps it. */
export const canRemove = (kind: Kind, object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  (object.metadata.finalizers ?? []).length === 0 &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  kind.isDeletionBlocked?.(object) !== true

export interface ObjectUpdate {
  kind: Kind
  object: KubeObject
  old: KubeObject
  scope?: UpdateScope
}

const validate = (
  core: Core,
  draft: KubeObject,
  { kind, object, old, scope }: ObjectUpdate,
  { apiVersion, isPatch = false }: WriteContext,
): FieldError[] => {
  const isMain = scope === undefined
  return [
    ...(isPatch ? validateIdentity(object, old) : []),
    ...(isMain ? assignAddresses(core, kind, draft, old) : []),
    ...(isMain ? validateMetadata(draft.metadata, kind) : []),
    ...(isMain ? validateDeletionFields(object, old) : []),
    ...validateFinalizers(draft, old),
    ...(scope === 'status'
      ? (kind.validateStatus?.(draft, old) ?? [])
      : (kind.validate?.(draft, old, apiVersion) ?? [])),
  ]
}

/**
 * Stores `object` as the new state of `old`. `object` may share references with stored objects only in a status
 * update: any other update modifies it in place.
 */
export const updateObject = (core: Core, update: ObjectUpdate, context: WriteContext): KubeObject => {
  const { kind, object: requested, old, scope } = update
  checkConcurrency(kind, requested, old, context.isPatch === true)
  const { namespace = '', name } = old.metadata
  const draft =
    scope === undefined ? mainDraft(kind, requested, old) : subresourceDraft(requested, old, scope)
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
  const subresource = scope === 'status' || scope === 'scale' ? scope : undefined
  trackFields(core, { kind, draft, old, subresource }, context)
  admit(core, subject, context)
  if (scope === undefined) kind.prepareUpdate?.(draft, old, { now: core.clock.now() })
  const errors = validate(core, draft, update, context)
  if (errors.length > 0) throw invalidObject(kind.group, kind.kind, name, errors)
  for (const warning of kind.warnings?.(draft, old) ?? []) context.warn?.(warning)
  validateAdmission(core, subject, context)
  return commitUpdate(core, { kind, object: draft, old, scope }, context, () =>
    commitAdmission(core, subject, context),
  )
}

/** Sets the generation and stores the object; `beforePut` is called only if the object changes. */
export const commitUpdate = (
  core: Core,
  { kind, object: draft, old, scope }: ObjectUpdate,
  context: WriteContext,
  beforePut: () => void = () => {},
): KubeObject => {
  const metadata = { ...draft.metadata, resourceVersion: old.metadata.resourceVersion }
  if (kind.hasGeneration === true && scope !== 'status' && !isSameSpec(kind, draft, old))
    metadata.generation = (old.metadata.generation ?? 0) + 1
  const next: KubeObject = { ...draft, metadata }
  if (isSameObject(next, old)) return old
  if (context.dryRun === true) return next
  if (canRemove(kind, next)) return core.store.remove(kind.id, next)
  beforePut()
  return core.store.put(kind.id, next, old)
}
