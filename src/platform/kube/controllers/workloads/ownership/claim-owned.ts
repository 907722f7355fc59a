/** Adopts orphans that match a selector, and releases owned objects that no longer match. */
import type { Kind } from '#platform/kube/kinds'
import { controlledBy, type ObjectMeta, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

interface Owner {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}

const withOwners = <T>(object: Stored<T>, ownerReferences: ObjectMeta['ownerReferences']): Stored<T> => {
  const { ownerReferences: _, ...metadata } = object.metadata
  return {
    ...object,
    metadata:
      ownerReferences === undefined || ownerReferences.length === 0
        ? metadata
        : { ...metadata, ownerReferences },
  }
}

/** Adopts and releases objects, and returns those that `owner` controls afterwards. */
export const claimOwned = <T>(
  client: Client,
  kind: Kind<T>,
  owner: Owner,
  matches: (object: Stored<T>) => boolean,
): Stored<T>[] => {
  const owned = client.ownedBy(kind, owner.metadata.uid)
  const claimed = owned.filter(matches)
  if (owner.metadata.deletionTimestamp !== undefined) return claimed

  if (claimed.length < owned.length) {
    for (const object of owned) {
      if (matches(object)) continue
      const rest = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid)
      client.update(kind, withOwners(object, rest))
    }
  }
  const { namespace } = owner.metadata
  for (const object of client.ownedBy(kind, '')) {
    const { metadata } = object
    if (metadata.namespace !== namespace || metadata.deletionTimestamp !== undefined) continue
    if (!matches(object)) continue
    const references = [...(object.metadata.ownerReferences ?? []), controlledBy(owner)]
    claimed.push(client.update(kind, withOwners(object, references)))
  }
  return claimed
}
