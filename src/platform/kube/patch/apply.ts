/** Server-side apply: merges a configuration, removes omitted fields, and updates field ownership. */
import { deepEqual, defined } from '#kit'
import { badRequest, type FieldSet, type KubeObject, type ManagedFields } from '#platform/kube/meta'
import type { Schema } from '#platform/kube/schema'
import { applyConflict, type Conflict } from './apply-conflict.ts'
import { changedFields, UNMANAGED } from './changed-fields.ts'
import { checkConfiguration } from './check-configuration.ts'
import { emptyObject } from './empty-object.ts'
import { deepDifference, difference, intersection, isEmpty, NO_FIELDS, union } from './field-set.ts'
import { refreshLastApplied, unchangedSinceLastApplied } from './last-applied.ts'
import { listFields } from './list-fields.ts'
import { managerId, sortEntries, withoutEmpty } from './managed-entries.ts'
import { withFields } from './managed-fields-of-update.ts'
import { mergeApplied } from './merge-applied.ts'
import { pruneApplied } from './prune-applied.ts'

/** An object as a client sends it. */
type Configuration = Readonly<Record<string, any>>

export interface ServerSideApply {
  schema: Schema
  /** The stored object in the applied version; undefined on creation. */
  live: KubeObject | undefined
  /** The request body, neither decoded nor defaulted. The manager owns every field in it. */
  applied: Configuration
  manager: string
  /** Takes over fields of other managers instead of reporting conflicts. */
  force: boolean
  apiVersion: string
  /** RFC 3339, in seconds. */
  time: string
  subresource?: string | undefined
  /** Fields that the server resets at this endpoint. Writes do not change their ownership. */
  reset?: FieldSet | undefined
}

/** Returns the object to store, without defaults; `live` itself if nothing changes. Throws ApiError 409 on conflicts. */
export const applyServerSide = (request: ServerSideApply): KubeObject => {
  checkRequest(request)
  const { schema, live, applied, manager, time } = request
  const bare = live === undefined ? undefined : withManagedFields(live, undefined)
  const entries = live === undefined ? [] : entriesBeforeApply(request, live)
  const newEntry = toApplierEntry(request)
  const previous = entries.find((entry) => managerId(entry) === managerId(newEntry))
  const others = entries.filter((entry) => entry !== previous)

  const merged = mergeApplied(schema, bare ?? {}, applied) as KubeObject
  const owned = others.reduce((all, entry) => union(all, entry.fieldsV1), newEntry.fieldsV1)
  const pruned = pruneApplied(schema, merged, previous?.fieldsV1 ?? NO_FIELDS, owned)
  const next = manager === 'kubectl' ? refreshLastApplied(pruned, applied) : pruned

  const remainingEntries = resolveConflicts(request, others, bare ?? emptyObject(schema), pruned)
  const unchanged = bare !== undefined && deepEqual(next, bare)
  const entryTime = unchanged && previous?.time !== undefined ? previous.time : time
  const updated = { ...newEntry, time: entryTime, fieldsV1: difference(newEntry.fieldsV1, UNMANAGED) }
  const result = sortEntries(withoutEmpty([...remainingEntries, updated]))
  if (unchanged && deepEqual(result, live?.metadata.managedFields)) return live!
  return withManagedFields(next, result.length === 0 ? undefined : result)
}

const checkRequest = ({ schema, applied, apiVersion }: ServerSideApply): void => {
  if (applied.apiVersion !== apiVersion) {
    const version = String(applied.apiVersion ?? '')
    throw badRequest(
      `invalid object type: ${version.includes('/') ? '' : '/'}${version}, Kind=${applied.kind ?? ''}`,
    )
  }
  checkConfiguration(schema, applied)
  if (Array.isArray(applied.metadata?.managedFields)) throw badRequest('metadata.managedFields must be nil')
}

const withManagedFields = (object: KubeObject, entries: ManagedFields[] | undefined): KubeObject => {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } }
}

/** Returns the entries before this apply. Without managedFields, `before-first-apply` owns all fields. */
const entriesBeforeApply = (
  { schema, apiVersion, time }: ServerSideApply,
  live: KubeObject,
): readonly ManagedFields[] => {
  const entries = live.metadata.managedFields ?? []
  if (entries.length > 0) return entries
  const fieldsV1 = changedFields(schema, emptyObject(schema), live)?.changed ?? NO_FIELDS
  const manager = 'before-first-apply'
  return [{ manager, operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 }]
}

const toApplierEntry = (request: ServerSideApply): ManagedFields => {
  const fields = listFields(request.schema, request.applied)
  return {
    manager: request.manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    time: request.time,
    fieldsType: 'FieldsV1',
    fieldsV1: request.reset === undefined ? fields : deepDifference(fields, request.reset),
    ...defined({ subresource: request.subresource }),
  }
}

/**
 * Returns the entries of the other managers without the fields that the apply changes or removes. Throws on
 * conflicts unless forced.
 */
const resolveConflicts = (
  request: ServerSideApply,
  others: readonly ManagedFields[],
  before: object,
  after: object,
): readonly ManagedFields[] => {
  const { schema, live, force, manager, reset = NO_FIELDS } = request
  const changes = changedFields(schema, before, after)
  if (changes === undefined) return others
  const changed = deepDifference(changes.changed, reset)
  const removed = deepDifference(changes.removed, reset)

  let conflicts: Conflict[] = others
    .map((owner) => ({ owner, fields: intersection(owner.fieldsV1, changed) }))
    .filter(({ fields }) => !isEmpty(fields))
  if (!force && conflicts.length > 0 && manager === 'kubectl' && live !== undefined) {
    const allowed = unchangedSinceLastApplied(schema, live)
    conflicts = conflicts
      .map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }))
      .filter(({ fields }) => !isEmpty(fields))
  }
  if (!force && conflicts.length > 0) throw applyConflict(conflicts)
  return others.map((entry) => withFields(entry, difference(difference(entry.fieldsV1, changed), removed)))
}
