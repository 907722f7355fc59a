/** Finds pods that were changed by their StatefulSet rather than by a playbook. */
import { ownersOf } from '#spec'
import { type Entry, hasChangedSpec } from './declared-state.ts'

const uidOf = ({ object }: Entry): unknown => object.metadata.uid

/** The name of the StatefulSet that owns a pod. */
const statefulSetOf = ({ object }: Entry): string | undefined => {
  if (object.kind !== 'Pod') return undefined
  return ownersOf(object).find(({ kind }) => kind === 'StatefulSet')?.name
}

/**
 * Returns a predicate for pods that are not reverted: pods that were recreated under the same name, and other
 * pods of their StatefulSet if only metadata changed, because the set may have elected another leader.
 */
export const findExemptPods = (before: ReadonlyMap<string, Entry>, current: ReadonlyMap<string, Entry>) => {
  const setsWithNewPods = new Set<string>()
  for (const [key, entry] of before) {
    const [set, found] = [statefulSetOf(entry), current.get(key)]
    if (set !== undefined && (found === undefined || uidOf(found) !== uidOf(entry))) setsWithNewPods.add(set)
  }
  return (entry: Entry, found: Entry): boolean => {
    const set = statefulSetOf(entry)
    if (set === undefined || set !== statefulSetOf(found) || !setsWithNewPods.has(set)) return false
    return uidOf(found) !== uidOf(entry) || !hasChangedSpec(entry, found, false)
  }
}
