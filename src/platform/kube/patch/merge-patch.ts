/** JSON Merge Patch (RFC 7386). The result shares unchanged parts with the original. */
import { deepEqual, isPlainObject, memberOf, setMember } from '#kit'
import { badRequest } from '#platform/kube/meta'
import { jsonKind } from './go-text.ts'
import { withoutNulls } from './without-nulls.ts'

const merge = (target: unknown, patch: unknown): unknown => {
  if (!isPlainObject(target) || !isPlainObject(patch)) {
    return deepEqual(target, patch) ? target : withoutNulls(patch)
  }
  const merged: Record<string, unknown> = { ...target }
  let changed = false
  for (const [key, value] of Object.entries(patch)) {
    const current = memberOf(target, key)
    if (value === null) {
      if (!Object.hasOwn(target, key)) continue
      delete merged[key]
      changed = true
      continue
    }
    const next = merge(current, value)
    if (next === current) continue
    setMember(merged, key, next)
    changed = true
  }
  return changed ? merged : target
}

/** Returns the merged document. Throws ApiError 400 if the patch is not an object. */
export const applyMergePatch = <T>(document: T, patch: unknown): T => {
  if (patch === null) return document
  if (!isPlainObject(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    )
  }
  return merge(document, patch) as T
}
