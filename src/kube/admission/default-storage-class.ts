/** Claims that name no class of storage get the default one. */
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { isDefaultStorageClass, persistentVolumeClaims, storageClasses } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'
import { newestOf } from './newest-of.ts'

const ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  admit({ kind, operation, object, client }) {
    if (kind.id !== persistentVolumeClaims.id || operation !== 'CREATE') return
    const claim = object as Stored<PersistentVolumeClaim>
    if (claim.spec.storageClassName !== undefined || claim.metadata.annotations?.[ANNOTATION] !== undefined)
      return
    const found = newestOf(client.list(storageClasses).filter(isDefaultStorageClass))
    if (found !== undefined) claim.spec.storageClassName = found.metadata.name
  },
}
