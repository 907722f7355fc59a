/** Server-side apply: merges a configuration, removes what it no longer names, and settles who owns what. */
import { deepEqual } from '../../kit/index.ts'
import { badRequest, type FieldSet, type KubeObject, type ManagedFields } from '../meta/index.ts'
import type { Schema } from '../schema/index.ts'
import { applyConflict, type Conflict } from './apply-conflict.ts'
import { changedFields, UNMANAGED } from './changed-fields.ts'
import { checkConfiguration } from './check-configuration.ts'
import { emptyObject } from './empty-object.ts'
import { deepDifference, difference, intersection, isEmpty, NO_FIELDS, union } from './field-set.ts'
import { fieldsOf } from './fields-of.ts'
import { refreshLastApplied, unchangedSinceLastApplied } from './last-applied.ts'
import { managerId, occupied, sortEntries } from './managed-entries.ts'
import { withFields } from './managed-fields.ts'
import { mergeApplied } from './merge-applied.ts'
import { pruneApplied } from './prune-applied.ts'

/** An object as a client sends it. */
type Configuration = Readonly<Record<string, any>>

export interface ServerSideApply {
  schema: Schema
  /** The stored object, in the version that is applied; undefined when it is created. */
  live: KubeObject | undefined
  /** What the client sent, neither decoded nor defaulted: it comes to own every field in it. */
  applied: Configuration
  manager: string
  /** Take fields over from other managers instead of refusing. */
  force: boolean
  apiVersion: string
  /** RFC 3339, in seconds. */
  time: string
  subresource?: string | undefined
  /** Fields that the server puts back at this endpoint, so that nobody comes to own them by a write there. */
  reset?: FieldSet | undefined
}

/** The object to be stored, without defaults; the live one itself when nothing changes. Throws on conflicts. */
export const applyServerSide = (request: ServerSideApply): KubeObject => {
  checkRequest(request)
  const { schema, live, applied, manager, time } = request
  const bare = live === undefined ? undefined : withManagedFields(live, undefined)
  const entries = live === undefined ? [] : managersOf(request, live)
  const own = ownEntry(request)
  const previous = entries.find((entry) => managerId(entry) === managerId(own))
  const others = entries.filter((entry) => entry !== previous)

  const merged = mergeApplied(schema, bare ?? {}, applied) as KubeObject
  const owned = others.reduce((all, entry) => union(all, entry.fieldsV1), own.fieldsV1)
  const pruned = pruneApplied(schema, merged, previous?.fieldsV1 ?? NO_FIELDS, owned)
  const next = manager === 'kubectl' ? refreshLastApplied(pruned, applied) : pruned

  const settled = settle(request, others, bare ?? emptyObject(schema), pruned)
  const unchanged = bare !== undefined && deepEqual(next, bare)
  const stamp = unchanged && previous?.time !== undefined ? previous.time : time
  const mine = { ...own, time: stamp, fieldsV1: difference(own.fieldsV1, UNMANAGED) }
  const result = sortEntries(occupied([...settled, mine]))
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

/** Who owns what before this apply. An object without accounts is taken to be owned by whoever wrote it before. */
const managersOf = (
  { schema, apiVersion, time }: ServerSideApply,
  live: KubeObject,
): readonly ManagedFields[] => {
  const entries = live.metadata.managedFields ?? []
  if (entries.length > 0) return entries
  const fieldsV1 = changedFields(schema, emptyObject(schema), live)?.changed ?? NO_FIELDS
  const manager = 'before-first-apply'
  return [{ manager, operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 }]
}

const ownEntry = (request: ServerSideApply): ManagedFields => {
  const fields = fieldsOf(request.schema, request.applied)
  return {
    manager: request.manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    time: request.time,
    fieldsType: 'FieldsV1',
    fieldsV1: request.reset === undefined ? fields : deepDifference(fields, request.reset),
    ...(request.subresource === undefined ? {} : { subresource: request.subresource }),
  }
}

/** The other managers without the fields that the apply changes or removes; unless forced, changing is refused. */
const settle = (
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
