/** The strategic merge patch that turns a pod template back into an earlier one, and says nothing of what is the same. */
import { isDeepStrictEqual } from 'node:util'
import type { Template } from '../observe/kube-shapes.ts'
import { byKey, isFields, MERGE_KEYS, toComparable } from './template-difference.ts'

type Fields = Readonly<Record<string, unknown>>

const undoFields = (is: Fields, was: Fields): Fields =>
  Object.fromEntries(
    [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .filter((name) => !isDeepStrictEqual(is[name], was[name]))
      .map((name) => [name, undoValue(name, is[name], was[name])]),
  )

const undoList = (
  key: string,
  is: ReadonlyMap<string, Fields>,
  was: ReadonlyMap<string, Fields>,
): Fields[] => [
  ...[...was].flatMap(([name, before]) => {
    const now = is.get(name)
    if (now === undefined) return [before]
    return isDeepStrictEqual(now, before) ? [] : [{ [key]: before[key], ...undoFields(now, before) }]
  }),
  ...[...is].filter(([name]) => !was.has(name)).map(([, now]) => ({ [key]: now[key], $patch: 'delete' })),
]

/** A field that was not there is taken away by null. */
const undoValue = (name: string, is: unknown, was: unknown): unknown => {
  if (isFields(is) && isFields(was)) return undoFields(is, was)
  const key = MERGE_KEYS[name]
  if (key !== undefined && Array.isArray(is)) {
    const [now, before] = [byKey(is, key), byKey(was ?? [], key)]
    if (now !== undefined && before !== undefined) return undoList(key, now, before)
  }
  return was ?? null
}

export const undoPatch = (is: Template, was: Template): Fields =>
  undoFields(toComparable(is), toComparable(was))
