/** Adds a finalizer that keeps volumes and claims while they are in use. */
import { persistentVolumeClaims, persistentVolumes } from '#platform/kube/kinds'
import type { AdmissionPlugin } from '#platform/kube/ports'

const FINALIZERS = new Map([
  [persistentVolumes.id, 'kubernetes.io/pv-protection'],
  [persistentVolumeClaims.id, 'kubernetes.io/pvc-protection'],
])

export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  admit({ kind, operation, object }) {
    const finalizer = FINALIZERS.get(kind.id)
    if (finalizer === undefined || operation !== 'CREATE' || object === undefined) return
    const finalizers = object.metadata.finalizers ?? []
    if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer]
  },
}
