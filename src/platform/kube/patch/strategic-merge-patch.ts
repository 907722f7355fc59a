/** Strategic merge patch: a JSON merge patch that merges lists by the keys in the schema. */
import { isPlainObject } from '#kit'
import { badRequest } from '#platform/kube/meta'
import type { ListSchema, Schema } from '#platform/kube/schema'
import { goText, jsonKind } from './go-text.ts'
import { schemaOfMember } from './schema-of-member.ts'
import { orderElements } from './strategic-element-order.ts'
import { badType, patchFailure } from './strategic-failure.ts'
import { mergeList } from './strategic-merge-list.ts'
import { withoutDirectives } from './without-directives.ts'

type Json = Readonly<Record<string, unknown>>

const DELETE_PREFIX = '$deleteFromPrimitiveList'
const ORDER_PREFIX = '$setElementOrder'

/** Returns the merged document. It shares unchanged parts with `original`. */
export const applyStrategicMerge = <T extends object>(schema: Schema, original: T, patch: unknown): T => {
  if (patch === null) return original
  if (!isPlainObject(patch)) {
    throw badRequest(
      `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`,
    )
  }
  return withTypeOf(original as Json, mergeObject(schema, original as Json, patch)) as T
}

/**
 * Ignores apiVersion and kind of the patch, as kube-apiserver does. Ansible, for example, patches a Scale
 * with `kind: Deployment`.
 */
const withTypeOf = (original: Json, merged: Json): Json => {
  const { apiVersion, kind } = original
  if (kind === undefined || (merged.kind === kind && merged.apiVersion === apiVersion)) return merged
  return { ...merged, apiVersion, kind }
}

const mergeObject = (schema: Schema, original: Json, patch: Json): Json => {
  if ('$patch' in patch) return applyObjectDirective(patch)
  // Without a prototype, so that `__proto__` is an ordinary key.
  const merged: Record<string, unknown> = Object.assign(Object.create(null), original)
  const pending = retainKeys(merged, patch)
  for (const key of Object.keys(patch)) {
    if (key.startsWith(ORDER_PREFIX)) mergeOrdered({ schema, merged, pending }, key, patch[key])
  }
  for (const [key, value] of pending) mergeMember(schema, merged, key, value)
  return hasSameMembers(original, merged) ? original : merged
}

const applyObjectDirective = (patch: Json): Json => {
  if (patch.$patch === 'delete') return {}
  if (patch.$patch !== 'replace') {
    throw patchFailure(`unknown patch type: ${patch.$patch} in map: ${goText(patch)}`)
  }
  const { $patch: _, ...replacement } = patch
  return replacement
}

/** Drops the members that `$retainKeys` does not name. Returns the patch members that remain to be merged. */
const retainKeys = (merged: Record<string, unknown>, patch: Json): Map<string, unknown> => {
  const pending = new Map(Object.entries(patch))
  for (const key of pending.keys()) if (key.startsWith(ORDER_PREFIX)) pending.delete(key)
  if (!pending.delete('$retainKeys')) return pending
  const retained = patch.$retainKeys
  if (!Array.isArray(retained)) throw badRequest('invalid patch format of retainKeys')
  for (const [key, value] of pending) {
    if (value !== null && !key.startsWith(DELETE_PREFIX) && !retained.includes(key)) {
      throw badRequest('invalid patch format of retainKeys')
    }
  }
  for (const key of Object.keys(merged)) if (!retained.includes(key)) delete merged[key]
  return pending
}

const memberSchema = (schema: Schema, name: string): Schema => {
  if (schema.type === 'object' && !schema.fields.has(name)) {
    const type = schema.name?.split('.').at(-1) ?? ''
    throw patchFailure(
      `unable to find api field in struct ${type} for the json field ${JSON.stringify(name)}`,
    )
  }
  return schemaOfMember(schema, name)
}

/** Returns the name of the list after the slash of a directive such as `$setElementOrder/containers`. */
const listNameIn = (directive: string, prefix: string, errorMessage: string): string => {
  const slash = directive.indexOf('/')
  if (directive.slice(0, slash) !== prefix) throw badRequest(errorMessage)
  return directive.slice(slash + 1)
}

const toOptionalList = (value: unknown): readonly unknown[] | undefined => {
  if (value !== undefined && !Array.isArray(value)) throw badType([], value)
  return value
}

/** An object that is being merged. */
interface ObjectMerge {
  readonly schema: Schema
  readonly merged: Record<string, unknown>
  /** Patch members that remain to be merged. */
  readonly pending: Map<string, unknown>
}

/** Merges the list that a `$setElementOrder` directive names, and orders its elements. */
const mergeOrdered = ({ schema, merged, pending }: ObjectMerge, directive: string, order: unknown): void => {
  if (!Array.isArray(order)) throw badType([], order)
  const name = listNameIn(directive, ORDER_PREFIX, 'invalid patch format of setElementOrder list')
  const original = toOptionalList(merged[name])
  const patch = toOptionalList(pending.get(name))
  const list = memberSchema(schema, name) as ListSchema
  if (original === undefined && patch === undefined) return
  pending.delete(name)
  merged[name] = orderElements(list, { order, original, patch }, () => {
    if (original === undefined) return withoutDirectives(patch) as unknown[]
    return patch === undefined ? original : mergeLists(list, original, patch)
  })
}

const mergeLists = (list: ListSchema, original: readonly unknown[], patch: readonly unknown[]) =>
  list.patchMergeKey === undefined ? patch : mergeList(list, original, patch, mergeObject)

const mergeMember = (schema: Schema, merged: Record<string, unknown>, key: string, value: unknown): void => {
  if (key.startsWith(DELETE_PREFIX)) {
    deleteScalars(merged, listNameIn(key, DELETE_PREFIX, 'invalid patch format of primitive list'), value)
    return
  }
  if (value === null) {
    delete merged[key]
    return
  }
  const current = merged[key]
  if (isPlainObject(current) && isPlainObject(value)) {
    merged[key] = mergeObject(memberSchema(schema, key), current, value)
  } else if (Array.isArray(current) && Array.isArray(value)) {
    merged[key] = mergeLists(memberSchema(schema, key) as ListSchema, current, value)
  } else {
    const stripped = withoutDirectives(value)
    if (stripped === undefined) delete merged[key]
    else merged[key] = stripped
  }
}

const deleteScalars = (merged: Record<string, unknown>, name: string, deleted: unknown): void => {
  const current = merged[name]
  if (!Array.isArray(current) || !Array.isArray(deleted)) return
  const kept = current.filter((element) => !deleted.includes(element))
  if (kept.length < current.length) merged[name] = kept
}

const hasSameMembers = (original: Json, merged: Json): boolean => {
  const keys = Object.keys(merged)
  return keys.length === Object.keys(original).length && keys.every((key) => merged[key] === original[key])
}
