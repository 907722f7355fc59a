/** The entries of `metadata.managedFields`: parsing, identity, order and limit. */
import { deepEqual, isPlainObject } from '#kit'
import type { ManagedFields } from '#platform/kube/meta'
import { isEmpty, parseFieldSet, union } from './field-set.ts'

const MAX_UPDATERS = 10

/** Returns the identity of an entry. An applier has one entry for all versions. */
export const managerId = (entry: Omit<ManagedFields, 'fieldsType' | 'fieldsV1' | 'time'>): string =>
  JSON.stringify({
    manager: entry.manager,
    operation: entry.operation,
    apiVersion: entry.operation === 'Apply' ? undefined : entry.apiVersion,
    subresource: entry.subresource,
  })

const parseEntry = (entry: unknown): ManagedFields | undefined => {
  if (!isPlainObject(entry)) return undefined
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource } = entry
  if (operation !== 'Apply' && operation !== 'Update') return undefined
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined
  const set = parseFieldSet(fieldsV1 ?? {})
  if (set === undefined) return undefined
  return {
    ...(typeof manager === 'string' && manager !== '' ? { manager } : {}),
    operation,
    apiVersion,
    ...(typeof time === 'string' ? { time } : {}),
    fieldsType,
    fieldsV1: set,
    ...(typeof subresource === 'string' && subresource !== '' ? { subresource } : {}),
  }
}

/**
 * Parses a list of entries. Returns undefined if any entry is invalid; as in kube-apiserver, the write is
 * still accepted.
 */
const parseEntries = (entries: readonly unknown[]): ManagedFields[] | undefined => {
  const byManager = new Map<string, ManagedFields>()
  for (const value of entries) {
    const entry = parseEntry(value)
    if (entry === undefined) return undefined
    byManager.set(managerId(entry), entry)
  }
  return [...byManager.values()]
}

const isReset = (entries: readonly unknown[]): boolean =>
  entries.length === 0 || (entries.length === 1 && deepEqual(entries[0], {}))

/** Any API object. Entries that a client sent are not validated. */
export interface Managed {
  metadata?: object
}

const managedFieldsOf = (object: Managed | undefined): unknown =>
  (object?.metadata as { managedFields?: unknown } | undefined)?.managedFields

/**
 * Returns the entries before a write: those of the client if valid, otherwise the stored ones. An empty list clears
 * the entries; omitting `managedFields` keeps them.
 */
export const entriesBeforeWrite = (old: Managed | undefined, next: Managed): readonly ManagedFields[] => {
  const live = (managedFieldsOf(old) ?? []) as readonly ManagedFields[]
  const sent = managedFieldsOf(next)
  if (sent === live || !Array.isArray(sent)) return live
  if (isReset(sent)) return []
  if (deepEqual(sent, live)) return live
  return parseEntries(sent) ?? live
}

/** Sorts appliers first, then by time. */
export const sortEntries = (entries: readonly ManagedFields[]): ManagedFields[] =>
  entries.toSorted((a, b) => {
    const keys = (entry: ManagedFields) =>
      [
        entry.operation,
        entry.time ?? '',
        entry.manager ?? '',
        entry.apiVersion,
        entry.subresource ?? '',
      ] as const
    const [left, right] = [keys(a), keys(b)]
    const position = left.findIndex((key, index) => key !== right[index])
    return position === -1 ? 0 : left[position]! < right[position]! ? -1 : 1
  })

/** Merges the oldest update entries of each version while there are more than {@link MAX_UPDATERS}. */
export const mergeOldestUpdaters = (entries: readonly ManagedFields[]): readonly ManagedFields[] => {
  const updaters = entries.filter((entry) => entry.operation === 'Update')
  let excess = updaters.length - MAX_UPDATERS
  if (excess <= 0) return entries
  const age = (entry: ManagedFields) => `${entry.time ?? ''} ${managerId(entry)}`
  const kept = new Set(entries)
  const oldest = new Map<string, ManagedFields>()
  for (const entry of updaters.toSorted((a, b) => (age(a) < age(b) ? -1 : 1))) {
    if (excess === 0) break
    const older = oldest.get(entry.apiVersion)
    if (older === undefined) {
      oldest.set(entry.apiVersion, entry)
      continue
    }
    const { subresource: _, ...rest } = entry
    const merged = { ...rest, manager: 'ancient-changes', fieldsV1: union(entry.fieldsV1, older.fieldsV1) }
    kept.delete(older)
    kept.delete(entry)
    kept.add(merged)
    oldest.set(entry.apiVersion, merged)
    excess -= 1
  }
  return [...kept]
}

/** Returns the entries that own at least one field. */
export const withoutEmpty = (entries: readonly ManagedFields[]): ManagedFields[] =>
  entries.filter((entry) => !isEmpty(entry.fieldsV1))
