/** Reverts a changed Deployment without restarting the pods of the baseline. */
import { type Client, type KubeObject, replicaSets } from '#platform/kube/simulated'
import { deleteWithDependents } from './delete-objects.ts'
import type { RevertibleDeployment } from './differences.ts'
import { toRestored, withRevisionOf } from './object-content.ts'

/**
 * Makes all changes before the Deployment controller reacts, so that it finds the ReplicaSet of the restored
 * template, with the revision of the baseline. Returns the uids of the deleted pods.
 */
export const revertDeployment = (
  client: Client,
  { baseline: { kind, object }, current, kept }: RevertibleDeployment,
): string[] => {
  const others = (client.ownedBy(replicaSets, current.metadata.uid) as readonly KubeObject[]).filter(
    ({ metadata }) => metadata.uid !== kept.metadata.uid,
  )
  const deletedPods = others.flatMap((set) =>
    deleteWithDependents(client, { kind: replicaSets, object: set }),
  )
  client.update(kind, withRevisionOf(object, toRestored(current, object)))
  const { spec } = kept
  client.update(
    replicaSets,
    withRevisionOf(object, { ...kept, spec: { ...spec, replicas: object.spec.replicas ?? 1 } }) as never,
  )
  return deletedPods
}
