/** Orders list elements after a strategic merge: patch order, with server elements in between. */
import { deepEqual, isPlainObject } from '#kit'
import type { ListSchema } from '#platform/kube/schema'
import { goText } from './go-text.ts'
import { badType, noMergeKey, patchFailure } from './strategic-failure.ts'
import { createValueIndex } from './value-index.ts'

/** Returns the merge key of an element, or the element itself in a list of scalars. */
const identityOf = (element: unknown, mergeKey: string): unknown => {
  if (mergeKey === '') return element
  if (!isPlainObject(element)) throw badType({}, element)
  if (!(mergeKey in element)) throw noMergeKey(element, mergeKey)
  return element[mergeKey]
}

const positionFinder = (order: readonly unknown[], mergeKey: string): ((element: unknown) => number) => {
  const index = createValueIndex(order.map((element) => identityOf(element, mergeKey)))
  return (element) => index.find(identityOf(element, mergeKey))
}

/**
 * Sorts the elements that `order` contains by that order. Places each other element before the first sorted
 * element that follows it on the server.
 */
export const interleave = (
  elements: readonly unknown[],
  order: readonly unknown[],
  server: readonly unknown[],
  mergeKey: string,
): unknown[] => {
  const positionInOrder = positionFinder(order, mergeKey)
  const positionOnServer = positionFinder(server, mergeKey)
  const ordered = elements.filter((element) => positionInOrder(element) >= 0)
  ordered.sort((a, b) => positionInOrder(a) - positionInOrder(b))
  const others = elements.filter((element) => positionInOrder(element) < 0)
  others.sort((a, b) => positionOnServer(a) - positionOnServer(b))

  const result: unknown[] = []
  let next = 0
  for (const element of ordered) {
    const position = positionOnServer(element)
    while (next < others.length && position >= 0) {
      const otherPosition = positionOnServer(others[next])
      if (otherPosition < 0 || otherPosition >= position) break
      result.push(others[next])
      next += 1
    }
    result.push(element)
  }
  return [...result, ...others.slice(next)]
}

/** Throws unless `order` contains the patch's elements in the same sequence. Deletions can be anywhere. */
const checkSequence = (order: readonly unknown[], patch: readonly unknown[], mergeKey: string): void => {
  if (order.length === 0 || patch.length === 0) return
  const listed = patch.filter((element) => !(isPlainObject(element) && '$patch' in element))
  let matched = 0
  for (const element of order) {
    if (matched === listed.length) return
    if (deepEqual(identityOf(listed[matched], mergeKey), identityOf(element, mergeKey))) matched += 1
  }
  if (matched < listed.length) {
    throw patchFailure(
      `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
    )
  }
}

/** The lists that a `$setElementOrder` directive concerns; undefined if the object or the patch lacks the list. */
export interface OrderedLists {
  order: readonly unknown[]
  original: readonly unknown[] | undefined
  patch: readonly unknown[] | undefined
}

/** Returns the result of `merge` in the order of a `$setElementOrder` directive. */
export const orderElements = (
  list: ListSchema,
  { order, original, patch }: OrderedLists,
  merge: () => readonly unknown[],
): readonly unknown[] => {
  const mergeKey = list.patchMergeKey ?? ''
  if (patch !== undefined) checkSequence(order, patch, mergeKey)
  const ordered = interleave(merge(), order, original ?? [], mergeKey)
  const isUnchanged =
    ordered.length === original?.length && ordered.every((element, index) => element === original[index])
  return isUnchanged ? original : ordered
}
