/** The finalizers of an object, with and without those that the control plane adds and removes itself. */
import { type ApiObject, isTerminating } from '#spec'
import { isPodOfJob, type Owners } from './is-controlled.ts'

/** Finalizers of the control plane, by kind. On another kind, no controller removes them. */
const CONTROL_PLANE_FINALIZERS: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['kubernetes.io/pvc-protection'],
  PersistentVolume: ['kubernetes.io/pv-protection', 'external-provisioner.volume.kubernetes.io/finalizer'],
  Pod: ['batch.kubernetes.io/job-tracking'],
  Service: ['service.kubernetes.io/load-balancer-cleanup'],
}
/** The garbage collector removes them once the dependents of a deleted object are gone. */
const DELETION_FINALIZERS: readonly string[] = ['foregroundDeletion', 'orphan']

/** Those that the admission of every object of the kind adds, and that a controller always removes once the object is unused. */
const PROTECTIONS: readonly string[] = ['kubernetes.io/pvc-protection', 'kubernetes.io/pv-protection']

const isOfControlPlane = ({ kind }: ApiObject, name: string): boolean =>
  CONTROL_PLANE_FINALIZERS[kind]?.includes(name) === true

/** All finalizers that still keep the object if it is deleted. */
const listFinalizers = (object: ApiObject): readonly string[] => {
  const { finalizers } = object.metadata
  // Solvers cannot change chaos objects, and the controller of chaos objects sets finalizers.
  if (!Array.isArray(finalizers) || object.apiVersion.startsWith('chaos-mesh.org/')) return []
  return finalizers
    .map(String)
    .filter((name) => !(isTerminating(object) && DELETION_FINALIZERS.includes(name)))
}

export const finalizersOf = (object: ApiObject): readonly string[] =>
  listFinalizers(object).filter((name) => !isOfControlPlane(object, name))

/**
 * The finalizers with a name of the control plane that it would not add to this object, so that it does not remove them either: it
 * tracks only pods of Jobs, and the clusters have no load balancers.
 */
export const misusedFinalizersOf = (view: Owners, object: ApiObject): readonly string[] =>
  listFinalizers(object).filter(
    (name) => isOfControlPlane(object, name) && !PROTECTIONS.includes(name) && !isPodOfJob(view, object),
  )
