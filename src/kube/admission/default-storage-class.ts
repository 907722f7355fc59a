/** Claims that name no class of storage get the default one. */
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import type { StorageClass } from 'kubernetes-types/storage/v1.d.ts'
import { isDefaultStorageClass, persistentVolumeClaims, storageClasses } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { AdmissionPlugin, Client } from '../ports/index.ts'

const ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

const newestDefault = (client: Client): Stored<StorageClass> | undefined => {
  let newest: Stored<StorageClass> | undefined
  for (const one of client.list(storageClasses)) {
    if (!isDefaultStorageClass(one)) continue
    if (newest === undefined || one.metadata.creationTimestamp > newest.metadata.creationTimestamp)
      newest = one
  }
  return newest
}

export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  admit({ kind, operation, object, client }) {
    if (kind.id !== persistentVolumeClaims.id || operation !== 'CREATE') return
    const claim = object as Stored<PersistentVolumeClaim>
    if (claim.spec.storageClassName !== undefined || claim.metadata.annotations?.[ANNOTATION] !== undefined)
      return
    const found = newestDefault(client)
    if (found !== undefined) claim.spec.storageClassName = found.metadata.name
  },
}
