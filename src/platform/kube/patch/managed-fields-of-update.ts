/** Tracks field ownership for writes other than apply. */
import { defined } from '#kit'
import type { FieldSet, ManagedFields } from '#platform/kube/meta'
import type { Schema } from '#platform/kube/schema'
import { changedFields, type FieldChanges } from './changed-fields.ts'
import { emptyObject } from './empty-object.ts'
import { deepDifference, difference, isEmpty, union } from './field-set.ts'
import {
  entriesBeforeWrite,
  type Managed,
  managerId,
  mergeOldestUpdaters,
  sortEntries,
  withoutEmpty,
} from './managed-entries.ts'

export interface FieldUpdate {
  schema: Schema
  /** The stored object; undefined on creation. */
  old: Managed | undefined
  /** The object to write, after patches and defaults. */
  next: Managed
  manager: string
  apiVersion: string
  /** RFC 3339, in seconds. */
  time: string
  subresource?: string | undefined
  /** Fields that the server resets at this endpoint. Writes do not change their ownership. */
  reset?: FieldSet | undefined
}

/**
 * Returns the entries after the write, sorted; undefined if there are none. Returns the same list if nothing changes.
 */
export const managedFieldsOfUpdate = (update: FieldUpdate): ManagedFields[] | undefined => {
  const { schema, old, next, subresource } = update
  const entries = entriesBeforeWrite(old, subresource === undefined ? next : (old ?? next)) as ManagedFields[]
  // An object whose entries were cleared has none until the next apply.
  if (old !== undefined && entries.length === 0) return undefined
  const changes = withoutReset(changedFields(schema, old ?? emptyObject(schema), next), update.reset)
  if (changes === undefined && isStored(old, entries)) return entries
  const recorded = changes === undefined ? entries : recordChanges(entries, changes, update)
  const result = sortEntries(mergeOldestUpdaters(withoutEmpty(recorded)))
  return result.length === 0 ? undefined : result
}

const isStored = (old: Managed | undefined, entries: readonly ManagedFields[]): boolean =>
  old !== undefined && (old.metadata as { managedFields?: unknown } | undefined)?.managedFields === entries

const withoutReset = (
  changes: FieldChanges | undefined,
  reset: FieldSet | undefined,
): FieldChanges | undefined => {
  if (changes === undefined || reset === undefined) return changes
  const changed = deepDifference(changes.changed, reset)
  const removed = deepDifference(changes.removed, reset)
  return isEmpty(changed) && isEmpty(removed) ? undefined : { changed, removed }
}

/** Returns the entry with its fields replaced; the same entry if they are unchanged. */
export const withFields = (entry: ManagedFields, fieldsV1: FieldSet): ManagedFields =>
  fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 }

/** Assigns changed fields to the writer alone, and drops removed fields from all entries. */
const recordChanges = (
  entries: readonly ManagedFields[],
  { changed, removed }: FieldChanges,
  { manager, apiVersion, time, subresource }: FieldUpdate,
): ManagedFields[] => {
  const writerEntry: ManagedFields = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: changed,
    ...defined({ subresource }),
  }
  const id = managerId(writerEntry)
  const result: ManagedFields[] = []
  let previous: ManagedFields | undefined
  for (const entry of entries) {
    const kept = difference(entry.fieldsV1, removed)
    if (managerId(entry) === id) previous = withFields(entry, kept)
    else result.push(withFields(entry, difference(kept, changed)))
  }
  if (isEmpty(changed)) return previous === undefined ? result : [...result, previous]
  return [
    ...result,
    previous === undefined ? writerEntry : { ...writerEntry, fieldsV1: union(previous.fieldsV1, changed) },
  ]
}
