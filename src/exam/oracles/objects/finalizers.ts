/** The finalizers of an object, without those that the control plane adds and removes itself. */
import { type ApiObject, isTerminating } from '#spec'

/** Finalizers of the control plane, by kind. On another kind, no controller removes them. */
const OWN_FINALIZERS: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['kubernetes.io/pvc-protection'],
  PersistentVolume: ['kubernetes.io/pv-protection', 'external-provisioner.volume.kubernetes.io/finalizer'],
  Pod: ['batch.kubernetes.io/job-tracking'],
  Service: ['service.kubernetes.io/load-balancer-cleanup'],
}
/** The garbage collector removes them once the dependents of a deleted object are gone. */
const DELETION_FINALIZERS: readonly string[] = ['foregroundDeletion', 'orphan']

export const finalizersOf = (object: ApiObject): readonly string[] => {
  const { finalizers } = object.metadata
  // Solvers have no rights for chaos objects, and their controller sets finalizers.
  if (!Array.isArray(finalizers) || object.apiVersion.startsWith('chaos-mesh.org/')) return []
  const own = OWN_FINALIZERS[object.kind] ?? []
  return finalizers
    .map(String)
    .filter((name) => !own.includes(name) && !(isTerminating(object) && DELETION_FINALIZERS.includes(name)))
}
