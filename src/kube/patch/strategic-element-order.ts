/** The order of elements after a strategic merge: the patch's own, with the server's elements put in between. */
import { deepEqual } from '../../kit/index.ts'
import type { ListSchema } from '../schema/index.ts'
import { goText } from './go-text.ts'
import { createPlaceIndex } from './place-index.ts'
import { isPlainObject } from './plain-object.ts'
import { badType, noMergeKey, patchFailure } from './strategic-failure.ts'

/** What identifies an element: the value of its merge key, or itself in a list of scalars. */
const identity = (element: unknown, mergeKey: string): unknown => {
  if (mergeKey === '') return element
  if (!isPlainObject(element)) throw badType({}, element)
  if (!(mergeKey in element)) throw noMergeKey(element, mergeKey)
  return element[mergeKey]
}

const places = (order: readonly unknown[], mergeKey: string): ((element: unknown) => number) => {
  const index = createPlaceIndex(order.map((element) => identity(element, mergeKey)))
  return (element) => index.find(identity(element, mergeKey))
}

/**
 * Elements named in `order` come in that order; each of the others stands before the first of them that it
 * preceded on the server.
 */
export const interleave = (
  elements: readonly unknown[],
  order: readonly unknown[],
  server: readonly unknown[],
  mergeKey: string,
): unknown[] => {
  const inOrder = places(order, mergeKey)
  const onServer = places(server, mergeKey)
  const ordered = elements.filter((element) => inOrder(element) >= 0)
  ordered.sort((a, b) => inOrder(a) - inOrder(b))
  const others = elements.filter((element) => inOrder(element) < 0)
  others.sort((a, b) => onServer(a) - onServer(b))

  const result: unknown[] = []
  let next = 0
  for (const element of ordered) {
    const place = onServer(element)
    while (next < others.length && place >= 0) {
      const other = onServer(others[next])
      if (other < 0 || other >= place) break
      result.push(others[next])
      next += 1
    }
    result.push(element)
  }
  return [...result, ...others.slice(next)]
}

/** The elements of the patch must appear in `order`, and in the same sequence; deletions may appear anywhere. */
const checkSequence = (order: readonly unknown[], patch: readonly unknown[], mergeKey: string): void => {
  if (order.length === 0 || patch.length === 0) return
  const listed = patch.filter((element) => !(isPlainObject(element) && '$patch' in element))
  let at = 0
  for (const element of order) {
    if (at === listed.length) return
    if (deepEqual(identity(listed[at], mergeKey), identity(element, mergeKey))) at += 1
  }
  if (at < listed.length) {
    throw patchFailure(
      `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
    )
  }
}

/** The list that `merge` gives, in the order that a `$setElementOrder` directive asks for. */
export const orderElements = (
  list: ListSchema,
  order: readonly unknown[],
  original: readonly unknown[] | undefined,
  patch: readonly unknown[] | undefined,
  merge: () => readonly unknown[],
): readonly unknown[] => {
  const mergeKey = list.patchMergeKey ?? ''
  if (patch !== undefined) checkSequence(order, patch, mergeKey)
  const ordered = interleave(merge(), order, original ?? [], mergeKey)
  const same = ordered.length === original?.length && ordered.every((element, at) => element === original[at])
  return same ? original : ordered
}
