/** Operations on the target's workload, shared by several repairs. */
import { waitUntil, workloadRef } from '#exam/fault-parts'
import { type ApiObject, isNotFound, type ObjectRef, type RepairContext, type SystemView } from '#spec'

/** The manifest of the target's workload, with its namespace and its number of replicas. */
export const cleanManifest = (system: SystemView, service: string): ApiObject => {
  const { manifest, replicas } = system.workloadOf(service)
  return {
    ...manifest,
    metadata: { ...manifest.metadata, namespace: system.namespace },
    spec: { ...(manifest.spec as object), replicas },
  }
}

/** Does the same as `kubectl rollout restart`. */
export const restartRollout = async ({ api, system }: RepairContext, service: string): Promise<void> => {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' }
  await api.patch(workloadRef(system, service), 'merge', {
    spec: { template: { metadata: { annotations } } },
  })
}

/** Does the same as `kubectl replace --force`: deletes the object, waits until it is gone, and creates it. */
export const recreate = async (
  context: RepairContext,
  { name, ...collection }: ObjectRef,
  manifest: object,
): Promise<void> => {
  const { api } = context
  await api.delete({ ...collection, name }, { propagationPolicy: 'Background' })
  await waitUntil(context, `${collection.plural} ${name} is gone`, () =>
    api.get({ ...collection, name }).then(
      () => false,
      (error) => isNotFound(error),
    ),
  )
  await api.create(collection, manifest)
}
