/** The list in `metadata.managedFields`: reading what clients send, telling managers apart, sorting, capping. */

import { deepEqual } from '../../kit/index.ts'
import type { ManagedFields } from '../meta/index.ts'
import { isEmpty, parseFieldSet, union } from './field-set.ts'
import { isPlainObject } from './plain-object.ts'

const MAX_UPDATERS = 10

/** What an entry is the only one of. An applier is the same in every version. */
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
 * Reads a list of entries; undefined when one of them cannot be understood, and then none is to be used. As in a real
 * server that is no reason to refuse the write.
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

/** Any API object; its entries may be anything when a client sent it. */
export interface Managed {
  metadata?: object
}

const listed = (object: Managed | undefined): unknown =>
  (object?.metadata as { managedFields?: unknown } | undefined)?.managedFields

/**
 * The entries that a write starts from: those that the client sent, where it sent some that can be read. An
 * empty list clears them; a client that knows nothing of them does not.
 */
export const entriesOf = (old: Managed | undefined, next: Managed): readonly ManagedFields[] => {
  const live = (listed(old) ?? []) as readonly ManagedFields[]
  const sent = listed(next)
  if (sent === live || !Array.isArray(sent)) return live
  if (isReset(sent)) return []
  if (deepEqual(sent, live)) return live
  return parseEntries(sent) ?? live
}

/** Appliers first, then by age. */
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
    const [ours, theirs] = [keys(a), keys(b)]
    const at = ours.findIndex((key, index) => key !== theirs[index])
    return at === -1 ? 0 : ours[at]! < theirs[at]! ? -1 : 1
  })

/** When too many managers have made updates, the oldest of each version are put together. */
export const capUpdaters = (entries: readonly ManagedFields[]): readonly ManagedFields[] => {
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

/** Entries that still own something. */
export const occupied = (entries: readonly ManagedFields[]): ManagedFields[] =>
  entries.filter((entry) => !isEmpty(entry.fieldsV1))
