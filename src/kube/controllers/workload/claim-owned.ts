/** Adopts what a selector finds and nobody controls, and lets go of what it no longer finds. */
import type { Kind } from '../../kinds/index.ts'
import { controlledBy, type ObjectMeta, type Stored } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'

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

/** The objects that `owner` controls once claims are settled. */
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
