/** Creation: identity, defaults, admission, validation, ownership of fields, and then the store. */
import type { Kind } from '../kinds/index.ts'
import {
  alreadyExists,
  badRequest,
  type FieldError,
  invalidObject,
  type KubeObject,
  type ObjectMeta,
  spaceExceeded,
  toTime,
  validateMetadata,
} from '../meta/index.ts'
import { isOwner } from '../ports/index.ts'
import {
  admit,
  admitFinally,
  assignAddresses,
  book,
  type Core,
  ownFields,
  type WriteContext,
} from './core.ts'

/** What is left of a long prefix once five letters are to follow. */
const PREFIX_LIMIT = 58

const nameFor = (core: Core, kind: Kind, metadata: Partial<ObjectMeta>, namespace: string): string => {
  if (metadata.name !== undefined && metadata.name !== '') return metadata.name
  const prefix = metadata.generateName
  if (prefix === undefined || prefix === '') return ''
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const name = `${prefix.slice(0, PREFIX_LIMIT)}${core.random.suffix(5)}`
    if (core.store.get(kind.id, namespace, name) === undefined) return name
  }
  throw alreadyExists(kind, `${prefix.slice(0, PREFIX_LIMIT)}${core.random.suffix(5)}`)
}

/** Metadata of a new object, in the order in which a real server prints it. */
const identify = (core: Core, kind: Kind, draft: KubeObject): ObjectMeta => {
  const given: Partial<ObjectMeta> = draft.metadata ?? {}
  if (given.resourceVersion !== undefined && given.resourceVersion !== '' && given.resourceVersion !== '0')
    throw badRequest('resourceVersion should not be set on objects to be created')
  const namespace = kind.namespaced ? (given.namespace ?? '') : undefined
  return {
    name: nameFor(core, kind, given, namespace ?? ''),
    ...(given.generateName ? { generateName: given.generateName } : {}),
    ...(namespace === undefined ? (given.namespace ? { namespace: given.namespace } : {}) : { namespace }),
    uid: core.random.uuid(),
    resourceVersion: '',
    ...(kind.hasGeneration === true ? { generation: 1 } : {}),
    creationTimestamp: toTime(core.clock.now()),
    ...(given.labels && Object.keys(given.labels).length > 0 ? { labels: given.labels } : {}),
    ...(given.annotations && Object.keys(given.annotations).length > 0
      ? { annotations: given.annotations }
      : {}),
    ...(given.ownerReferences?.length ? { ownerReferences: given.ownerReferences } : {}),
    ...(given.finalizers?.length ? { finalizers: given.finalizers } : {}),
    ...(given.managedFields?.length ? { managedFields: given.managedFields } : {}),
  }
}

const findings = (core: Core, kind: Kind, draft: KubeObject, { apiVersion }: WriteContext): FieldError[] => [
  ...validateMetadata(draft.metadata, kind),
  ...assignAddresses(core, kind, draft, undefined),
  ...(kind.validate?.(draft, undefined, apiVersion) ?? []),
]

/** Stores a new object. `draft` is the caller's no more: it is changed in place. */
export const createObject = (
  core: Core,
  kind: Kind,
  draft: KubeObject,
  context: WriteContext,
): KubeObject => {
  draft.metadata = identify(core, kind, draft)
  const { namespace = '', name } = draft.metadata
  const object: KubeObject = {
    ...draft,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: draft.metadata,
  }
  if (kind.hasStatus) delete object.status
  kind.defaults?.(object)
  ownFields(core, kind, object, undefined, context, undefined)
  const subject = { operation: 'CREATE' as const, kind, namespace, name, object }
  admit(core, subject, context)
  if (kind.hasStatus) object.status ??= {}
  kind.prepareCreate?.(object, { now: core.clock.now() })
  const errors = findings(core, kind, object, context)
  if (errors.length > 0)
    throw invalidObject(kind.group, kind.kind, name || (draft.metadata.generateName ?? ''), errors)
  for (const warning of kind.warnings?.(object, undefined) ?? []) context.warn?.(warning)
  admitFinally(core, subject, context)
  if (core.store.get(kind.id, namespace, name) !== undefined) throw alreadyExists(kind, name)
  if (context.dryRun === true) return withoutVersion(object)
  if (core.store.isFull && !isOwner(context.user)) throw spaceExceeded()
  book(core, subject, context)
  return core.store.put(kind.id, object, undefined)
}

/** A dry run has no version to tell. */
const withoutVersion = (object: KubeObject): KubeObject => {
  const { resourceVersion: _, ...metadata } = object.metadata
  return { ...object, metadata: metadata as ObjectMeta }
}
