/** Volumes and claims stay until nobody uses them any more: a finalizer keeps them. */
import { persistentVolumeClaims, persistentVolumes } from '../kinds/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'

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
