/** JSON Merge Patch (RFC 7386) that shares with the original whatever it leaves alone. */
import { deepEqual, memberOf, setMember } from '../../kit/index.ts'
import { badRequest } from '../meta/index.ts'
import { jsonKind } from './go-text.ts'
import { isPlainObject } from './plain-object.ts'
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

/** The merged document. A patch that is no object is refused, as there is no such API object. */
export const applyMergePatch = <T>(document: T, patch: unknown): T => {
  if (patch === null) return document
  if (!isPlainObject(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    )
  }
  return merge(document, patch) as T
}
