/** Pods of StatefulSets that are not what they were by the doing of their set, and not of a playbook. */
import { type Entry, hasOtherSpec } from './said-of.ts'

const uidOf = ({ object }: Entry): unknown => object.metadata.uid

/** The set that a pod is of, if any. */
const setOf = ({ object: { kind, metadata } }: Entry): string | undefined => {
  if (kind !== 'Pod') return undefined
  const owners = (metadata.ownerReferences ?? []) as readonly { kind: string; name: string }[]
  return owners.find((owner) => owner.kind === 'StatefulSet')?.name
}

/**
 * Gives who is to be left as it is: a pod that was made anew under the same name, and the labels of the others of its set, which may have
 * chosen another leader among them since.
 */
export const leavePods = (before: ReadonlyMap<string, Entry>, current: ReadonlyMap<string, Entry>) => {
  const regrouped = new Set<string>()
  for (const [key, entry] of before) {
    const [set, found] = [setOf(entry), current.get(key)]
    if (set !== undefined && (found === undefined || uidOf(found) !== uidOf(entry))) regrouped.add(set)
  }
  return (entry: Entry, found: Entry): boolean => {
    const set = setOf(entry)
    if (set === undefined || set !== setOf(found) || !regrouped.has(set)) return false
    return uidOf(found) !== uidOf(entry) || !hasOtherSpec(entry, found, false)
  }
}
