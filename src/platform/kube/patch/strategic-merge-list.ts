/** Merges lists by merge key, or as a set of scalars. */
import { isPlainObject } from '#kit'
import type { ListSchema, Schema } from '#platform/kube/schema'
import { goText } from './go-text.ts'
import { interleave } from './strategic-element-order.ts'
import { noMergeKey, patchFailure } from './strategic-failure.ts'
import { createValueIndex } from './value-index.ts'
import { withoutDirectives } from './without-directives.ts'

type Json = Readonly<Record<string, unknown>>
type MergeObject = (schema: Schema, original: Json, patch: Json) => Json

/** Returns the merged list; the original one if nothing changes. The elements of the patch keep their order. */
export const mergeList = (
  list: ListSchema,
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeObject: MergeObject,
): readonly unknown[] => {
  if (original.length === 0 && patch.length === 0) return original
  const merged = isListOfObjects(original, patch)
    ? mergeObjects(list, original as Json[], patch as Json[], mergeObject)
    : interleave([...new Set([...original, ...patch])], patch, original, '')
  const isUnchanged =
    merged.length === original.length && merged.every((element, index) => element === original[index])
  return isUnchanged ? original : merged
}

/** Whether the elements are objects. Throws on mixed types and on nested lists. */
const isListOfObjects = (original: readonly unknown[], patch: readonly unknown[]): boolean => {
  const elements = [...original, ...patch]
  if (Array.isArray(elements[0])) throw patchFailure('lists of lists are not supported')
  const objects = isPlainObject(elements[0])
  if (elements.some((element) => isPlainObject(element) !== objects)) {
    throw patchFailure(`list element types are not identical: ${goText([original, patch])}`)
  }
  return objects
}

const mergeObjects = (
  list: ListSchema,
  original: readonly Json[],
  patch: readonly Json[],
  mergeObject: MergeObject,
): readonly unknown[] => {
  const mergeKey = list.patchMergeKey
  if (!mergeKey) throw patchFailure('cannot merge lists without merge key for type struct')
  const plain = patch.filter((element) => !('$patch' in element))
  const kept = applyListDirectives(original, patch, mergeKey)
  if (kept === undefined) return plain.map(withoutDirectives)

  const merged = [...kept]
  const index = createValueIndex(kept.map((element) => element[mergeKey]))
  for (const element of plain) {
    if (!(mergeKey in element)) throw noMergeKey(element, mergeKey)
    const position = index.find(element[mergeKey])
    if (position === -1) {
      merged.push(withoutDirectives(element) as Json)
      index.add(element[mergeKey])
    } else merged[position] = mergeObject(list.items, merged[position]!, element)
  }
  return interleave(merged, plain, kept, mergeKey)
}

/** Returns the original elements that no `$patch: delete` names; undefined if `$patch: replace` replaces the list. */
const applyListDirectives = (
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
): readonly Json[] | undefined => {
  const deleted = createValueIndex([])
  let replace = false
  for (const element of patch) {
    if (!('$patch' in element)) continue
    switch (element.$patch) {
      case 'delete':
        if (!(mergeKey in element)) throw noMergeKey(element, mergeKey)
        deleted.add(element[mergeKey])
        break
      case 'replace':
        replace = true
        break
      case 'merge':
        throw patchFailure('merging lists cannot yet be specified in the patch')
      default:
        throw patchFailure(`unknown patch type: ${element.$patch} in map: ${goText(element)}`)
    }
  }
  return replace ? undefined : original.filter((candidate) => deleted.find(candidate[mergeKey]) === -1)
}
