/** Assigns the default storage class to claims without a class. */
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { isDefaultStorageClass, persistentVolumeClaims, storageClasses } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { AdmissionPlugin } from '#platform/kube/ports'
import { newestOf } from './newest-of.ts'

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  admit({ kind, operation, object, client }) {
    if (kind.id !== persistentVolumeClaims.id || operation !== 'CREATE') return
    const { metadata, spec } = object as Stored<PersistentVolumeClaim>
    if (spec.storageClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return
    const found = newestOf(client.list(storageClasses).filter(isDefaultStorageClass))
    if (found !== undefined) spec.storageClassName = found.metadata.name
  },
}
