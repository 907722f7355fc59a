/** Owner references: who controls an object. */
import type { KubeObject, OwnerReference } from './object.ts'

type Owned = { metadata: { ownerReferences?: OwnerReference[] } }
type Owner = Pick<KubeObject, 'apiVersion' | 'kind'> & { metadata: { name: string; uid: string } }

/** The reference of the one owner that controls the object. */
export const controllerOf = (object: Owned): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((reference) => reference.controller === true)

/** The reference a controller puts on what it makes. */
export const controlledBy = (owner: Owner): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})
