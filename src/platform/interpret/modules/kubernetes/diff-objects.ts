/** Compares an object before and after a module, to find out whether the module changed it. */
import { isPlainObject } from '#kit'
import { isEqual } from '../../python/python-text.ts'
import type { Json } from './api-client.ts'
import { byMergeKey, mergeKeyOf } from './merge-keys.ts'

const listsDiffer = (before: readonly unknown[], after: readonly unknown[], position: string): boolean => {
  const key = mergeKeyOf(position)
  if (key === undefined) return !isEqual(before, after)
  const [old, current] = [byMergeKey(before, key, position), byMergeKey(after, key, position)]
  if ([...old.keys()].some((each) => !current.has(each))) return true
  if ([...current.keys()].some((each) => !old.has(each))) return true
  return [...old].some(([each, map]) => changedKeys(map, current.get(each)!, position).length > 0)
}

/** The keys whose values differ. */
const changedKeys = (before: Json, after: Json, position: string): string[] => {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].filter((key) => {
    if (!(key in before) || !(key in after)) return true
    const [old, current] = [before[key], after[key]]
    const place = `${position}.${key}`
    if (isPlainObject(old) && isPlainObject(current)) return changedKeys(old, current, place).length > 0
    if (Array.isArray(old) && Array.isArray(current)) return listsDiffer(old, current, place)
    return !isEqual(old, current)
  })
}

const VERSION_KEYS = new Set(['generation', 'resourceVersion'])

export interface Difference {
  /** Changes of the version or generation alone do not count. */
  readonly isChanged: boolean
  readonly isMeaningless: boolean
}

export const diffObjects = (before: Json, after: Json): Difference => {
  const kind = before.kind !== undefined && before.kind === after.kind ? String(before.kind) : ''
  const keys = changedKeys(before, after, kind)
  if (keys.length === 0) return { isChanged: false, isMeaningless: false }
  const isOnlyMetadata =
    keys.length === 1 &&
    keys[0] === 'metadata' &&
    isPlainObject(before.metadata) &&
    isPlainObject(after.metadata)
  if (!isOnlyMetadata) return { isChanged: true, isMeaningless: false }
  const changed = changedKeys(before.metadata, after.metadata, `${kind}.metadata`)
  const isMeaningless = changed.every((key) => VERSION_KEYS.has(key))
  return { isChanged: !isMeaningless, isMeaningless }
}
