/** Creates objects: metadata, defaults, field ownership, admission, validation, storage. */
import type { Kind } from '#platform/kube/kinds'
import {
  ApiError,
  alreadyExists,
  type FieldError,
  invalidObject,
  type KubeObject,
  type ObjectMeta,
  spaceExceeded,
  toTime,
  validateMetadata,
  versionProblem,
} from '#platform/kube/meta'
import { isOwner } from '#platform/kube/ports'
import {
  admit,
  assignAddresses,
  type Core,
  commitAdmission,
  trackFields,
  validateAdmission,
  type WriteContext,
} from './core.ts'

/** Leaves room for a suffix of five characters. */
const MAX_PREFIX_CHARACTERS = 58

const resolveName = (core: Core, kind: Kind, metadata: Partial<ObjectMeta>, namespace: string): string => {
  if (metadata.name !== undefined && metadata.name !== '') return metadata.name
  const prefix = metadata.generateName
  if (prefix === undefined || prefix === '') return ''
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const name = `${prefix.slice(0, MAX_PREFIX_CHARACTERS)}${core.random.suffix(5)}`
    if (core.store.get(kind.id, namespace, name) === undefined) return name
  }
  throw alreadyExists(kind, `${prefix.slice(0, MAX_PREFIX_CHARACTERS)}${core.random.suffix(5)}`)
}

/** The metadata of a new object, with the field order of a real server. */
const buildMetadata = (core: Core, kind: Kind, draft: KubeObject): ObjectMeta => {
  const requested: Partial<ObjectMeta> = draft.metadata ?? {}
  const { resourceVersion = '' } = requested
  // A real server ignores a malformed version; for a valid one, it answers 500 without a reason.
  if (resourceVersion !== '' && versionProblem(resourceVersion) === undefined && Number(resourceVersion) > 0)
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
  const namespace = kind.namespaced ? (requested.namespace ?? '') : undefined
  return {
    name: resolveName(core, kind, requested, namespace ?? ''),
    ...(requested.generateName ? { generateName: requested.generateName } : {}),
    ...(namespace === undefined
      ? requested.namespace
        ? { namespace: requested.namespace }
        : {}
      : { namespace }),
    uid: core.random.uuid(),
    resourceVersion: '',
    ...(kind.hasGeneration === true ? { generation: 1 } : {}),
    creationTimestamp: toTime(core.clock.now()),
    ...(requested.labels && Object.keys(requested.labels).length > 0 ? { labels: requested.labels } : {}),
    ...(requested.annotations && Object.keys(requested.annotations).length > 0
      ? { annotations: requested.annotations }
      : {}),
    ...(requested.ownerReferences?.length ? { ownerReferences: requested.ownerReferences } : {}),
    ...(requested.finalizers?.length ? { finalizers: requested.finalizers } : {}),
    ...(requested.managedFields?.length ? { managedFields: requested.managedFields } : {}),
  }
}

const validate = (core: Core, kind: Kind, draft: KubeObject, { apiVersion }: WriteContext): FieldError[] => [
  ...validateMetadata(draft.metadata, kind),
  ...assignAddresses(core, kind, draft, undefined),
  ...(kind.validate?.(draft, undefined, apiVersion) ?? []),
]

/** Stores a new object. Modifies `draft` in place. */
export const createObject = (
  core: Core,
  kind: Kind,
  draft: KubeObject,
  context: WriteContext,
): KubeObject => {
  draft.metadata = buildMetadata(core, kind, draft)
  const { namespace = '', name } = draft.metadata
  const object: KubeObject = {
    ...draft,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: draft.metadata,
  }
  if (kind.hasStatus) delete object.status
  kind.defaults?.(object)
  trackFields(core, { kind, draft: object }, context)
  const subject = { operation: 'CREATE' as const, kind, namespace, name, object }
  admit(core, subject, context)
  if (kind.hasStatus) object.status ??= {}
  kind.prepareCreate?.(object, { now: core.clock.now() })
  const errors = validate(core, kind, object, context)
  if (errors.length > 0)
    throw invalidObject(kind.group, kind.kind, name || (draft.metadata.generateName ?? ''), errors)
  for (const warning of kind.warnings?.(object, undefined) ?? []) context.warn?.(warning)
  validateAdmission(core, subject, context)
  if (core.store.get(kind.id, namespace, name) !== undefined) throw alreadyExists(kind, name)
  if (context.dryRun === true) return withoutVersion(object)
  if (core.store.isFull && !isOwner(context.user)) throw spaceExceeded()
  commitAdmission(core, subject, context)
  return core.store.put(kind.id, object, undefined)
}

/** The object of a dry run has no resource version. */
const withoutVersion = (object: KubeObject): KubeObject => {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata: metadata as ObjectMeta }
}
