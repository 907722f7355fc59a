/** The finalizers of an object, without those that the control plane adds and removes itself. */
import { type ApiObject, isTerminating } from '#spec'

/** Finalizers of the control plane, by kind. On another kind, no controller removes them. */
const CONTROL_PLANE_FINALIZERS: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['kubernetes.io/pvc-protection'],
  PersistentVolume: ['kubernetes.io/pv-protection', 'external-provisioner.volume.kubernetes.io/finalizer'],
  Pod: ['batch.kubernetes.io/job-tracking'],
  Service: ['service.kubernetes.io/load-balancer-cleanup'],
}
/** The garbage collector removes them once the dependents of a deleted object are gone. */
const DELETION_FINALIZERS: readonly string[] = ['foregroundDeletion', 'orphan']

export const finalizersOf = (object: ApiObject): readonly string[] => {
  const { finalizers } = object.metadata
  // Solvers cannot change chaos objects, and the controller of chaos objects sets finalizers.
  if (!Array.isArray(finalizers) || object.apiVersion.startsWith('chaos-mesh.org/')) return []
  const controlPlaneFinalizers = CONTROL_PLANE_FINALIZERS[object.kind] ?? []
  return finalizers
    .map(String)
    .filter(
      (name) =>
        !controlPlaneFinalizers.includes(name) &&
        !(isTerminating(object) && DELETION_FINALIZERS.includes(name)),
    )
}
