/** Keeps account of who set which field, at every write that is not an apply. */
import type { FieldSet, ManagedFields } from '../meta/index.ts'
import type { Schema } from '../schema/index.ts'
import { changedFields, type FieldChanges } from './changed-fields.ts'
import { emptyObject } from './empty-object.ts'
import { deepDifference, difference, isEmpty, union } from './field-set.ts'
import { capUpdaters, entriesOf, type Managed, managerId, occupied, sortEntries } from './managed-entries.ts'

export interface TrackUpdate {
  schema: Schema
  /** The stored object; undefined when it is created. */
  old: Managed | undefined
  /** What is to be written, after patches and defaults. */
  next: Managed
  manager: string
  apiVersion: string
  /** RFC 3339, in seconds. */
  time: string
  subresource?: string | undefined
  /** Fields that the server puts back at this endpoint, so that nobody comes to own them by a write there. */
  reset?: FieldSet | undefined
}

/**
 * The entries after the write, sorted; undefined when there are none. Given back as they were when the write
 * changes nothing.
 */
export const trackUpdate = (update: TrackUpdate): ManagedFields[] | undefined => {
  const { schema, old, next, subresource } = update
  const entries = entriesOf(old, subresource === undefined ? next : (old ?? next)) as ManagedFields[]
  // An object whose accounts were cleared has none until it is applied.
  if (old !== undefined && entries.length === 0) return undefined
  const changes = withoutReset(changedFields(schema, old ?? emptyObject(schema), next), update.reset)
  if (changes === undefined && isStored(old, entries)) return entries
  const recorded = changes === undefined ? entries : recordChanges(entries, changes, update)
  const result = sortEntries(capUpdaters(occupied(recorded)))
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

/** The entry with its set replaced; the same entry when the set is the same. */
export const withFields = (entry: ManagedFields, fieldsV1: FieldSet): ManagedFields =>
  fieldsV1 === entry.fieldsV1 ? entry : { ...entry, fieldsV1 }

/** Whoever writes a field owns it alone; whoever removes one leaves it to nobody. */
const recordChanges = (
  entries: readonly ManagedFields[],
  { changed, removed }: FieldChanges,
  { manager, apiVersion, time, subresource }: TrackUpdate,
): ManagedFields[] => {
  const own: ManagedFields = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: changed,
    ...(subresource === undefined ? {} : { subresource }),
  }
  const id = managerId(own)
  const result: ManagedFields[] = []
  let previous: ManagedFields | undefined
  for (const entry of entries) {
    const kept = difference(entry.fieldsV1, removed)
    if (managerId(entry) === id) previous = withFields(entry, kept)
    else result.push(withFields(entry, difference(kept, changed)))
  }
  if (isEmpty(changed)) return previous === undefined ? result : [...result, previous]
  return [...result, previous === undefined ? own : { ...own, fieldsV1: union(previous.fieldsV1, changed) }]
}
