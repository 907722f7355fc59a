/** Client-side apply: computes a patch from the last applied, the existing and the desired object. */
import { isPlainObject } from '#kit'
import { pythonJson } from '../../python/python-json.ts'
import { isEqual, isTrue } from '../../python/python-text.ts'
import type { Json } from './api-client.ts'
import { byMergeKey, mergeKeyOf } from './merge-keys.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Merges maps at every depth; other values of `b` replace those of `a`. */
const mergeMaps = (a: Json, b: Json): Record<string, any> => {
  const result: Record<string, any> = { ...a }
  for (const [key, value] of Object.entries(b))
    result[key] = isPlainObject(result[key]) && isPlainObject(value) ? mergeMaps(result[key], value) : value
  return result
}

const annotate = (definition: Json): Json => ({
  metadata: {
    annotations: {
      [LAST_APPLIED]: pythonJson(definition, { compact: true, sortKeys: true, asciiOnly: true }),
    },
  },
})

export const withLastApplied = (definition: Json): Json => mergeMaps(definition, annotate(definition))

/** Sets fields to null that were applied before and are no longer desired. */
const deletions = (applied: Json, desired: Json): Record<string, any> => {
  const patch: Record<string, any> = {}
  for (const [key, value] of Object.entries(applied)) {
    const wanted = desired[key] ?? null
    if (isPlainObject(value) && isPlainObject(wanted)) {
      const nested = deletions(value, wanted)
      if (isTrue(nested)) patch[key] = nested
    } else if (!isEqual(value, wanted)) patch[key] = wanted
  }
  return patch
}

const mergeLists = (
  applied: readonly unknown[],
  actual: readonly unknown[],
  desired: readonly unknown[],
  position: string,
): readonly unknown[] => {
  const key = mergeKeyOf(position)
  if (key === undefined || applied.length === 0) return desired
  const [last, present, wanted] = [applied, actual, desired].map((list) => byMergeKey(list, key, position))
  const merged = [...wanted!].map(([each, map]) => {
    const [old, existing] = [last!.get(each), present!.get(each)]
    return old === undefined || existing === undefined
      ? map
      : mergeMaps(existing, threeWayPatch(old, map, existing, position))
  })
  const others = [...present!]
    .filter(([each]) => !wanted!.has(each) && !last!.has(each))
    .map(([, map]) => map)
  return [...merged, ...others]
}

const delta = (applied: Json, actual: Json, desired: Json, position: string): Record<string, any> => {
  const patch: Record<string, any> = {}
  for (const [key, value] of Object.entries(desired)) {
    const existing = actual[key] ?? null
    const place = `${position}.${key}`
    if (existing === null) patch[key] = value
    else if (isPlainObject(value)) {
      const nested = delta((applied[key] ?? {}) as Json, existing, value, place)
      if (isTrue(nested)) patch[key] = nested
    } else if (Array.isArray(value)) {
      const merged = mergeLists((applied[key] ?? []) as unknown[], existing, value, place)
      if (merged.length > 0) patch[key] = merged.filter((item) => item !== null)
    } else if (!isEqual(existing, value)) patch[key] = value
  }
  return patch
}

const threeWayPatch = (applied: Json, desired: Json, actual: Json, position: string): Record<string, any> =>
  mergeMaps(deletions(applied, desired), delta(applied, actual, desired, position))

/** Returns the merge patch that produces the desired object; undefined if nothing changes. */
export const applyPatch = (actual: Json, desired: Json): Json | undefined => {
  const text = actual.metadata?.annotations?.[LAST_APPLIED]
  if (!isTrue(text)) return withLastApplied(desired)
  const applied = JSON.parse(String(text)) as Json
  const patch = threeWayPatch(
    withLastApplied(applied),
    withLastApplied(desired),
    actual,
    String(desired.kind),
  )
  return isTrue(patch) ? patch : undefined
}
