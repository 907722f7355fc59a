/** Computes the minimal strategic merge patch that restores an earlier pod template. */
import { isDeepStrictEqual } from 'node:util'
import { isPlainObject } from '#kit'
import type { Template } from '../observe/kube-views.ts'
import { MERGE_KEYS, mapByKey, toComparable } from './template-difference.ts'

type Fields = Readonly<Record<string, unknown>>

const undoFields = (current: Fields, previous: Fields): Fields =>
  Object.fromEntries(
    [...new Set([...Object.keys(previous), ...Object.keys(current)])]
      .filter((name) => !isDeepStrictEqual(current[name], previous[name]))
      .map((name) => [name, undoValue(name, current[name], previous[name])]),
  )

const undoList = (
  key: string,
  current: ReadonlyMap<string, Fields>,
  previous: ReadonlyMap<string, Fields>,
): Fields[] => [
  ...[...previous].flatMap(([name, before]) => {
    const now = current.get(name)
    if (now === undefined) return [before]
    return isDeepStrictEqual(now, before) ? [] : [{ [key]: before[key], ...undoFields(now, before) }]
  }),
  ...[...current]
    .filter(([name]) => !previous.has(name))
    .map(([, now]) => ({ [key]: now[key], $patch: 'delete' })),
]

/** Returns the value in the patch that undoes the change. Null removes an added field. */
const undoValue = (name: string, current: unknown, previous: unknown): unknown => {
  if (isPlainObject(current) && isPlainObject(previous)) return undoFields(current, previous)
  const key = MERGE_KEYS[name]
  if (key !== undefined && Array.isArray(current)) {
    const [now, before] = [mapByKey(current, key), mapByKey(previous ?? [], key)]
    if (now !== undefined && before !== undefined) return undoList(key, now, before)
  }
  return previous ?? null
}

export const toUndoPatch = (current: Template, previous: Template): Fields =>
  undoFields(toComparable(current), toComparable(previous))
