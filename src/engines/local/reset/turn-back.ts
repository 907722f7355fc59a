/** Turns a changed Deployment back to its baseline without a new pod, as long as those of the baseline run on. */
import { type Client, type KubeObject, replicaSets } from '../../../kube/index.ts'
import { deleteWithDependents } from './delete-objects.ts'
import type { Turned } from './find-differences.ts'
import { restored, withRevisionOf } from './object-content.ts'

/**
 * All at once, before its controller gets to see any of it: it then finds the one ReplicaSet that belongs to the template,
 * of the first revision. Gives the uids of the pods that go.
 */
export const turnBack = (client: Client, { baseline: { kind, object }, current, kept }: Turned): string[] => {
  const others = (client.ownedBy(replicaSets, current.metadata.uid) as readonly KubeObject[]).filter(
    ({ metadata }) => metadata.uid !== kept.metadata.uid,
  )
  const gone = others.flatMap((other) => deleteWithDependents(client, { kind: replicaSets, object: other }))
  client.update(kind, withRevisionOf(object, restored(current, object)))
  const { spec } = kept
  client.update(
    replicaSets,
    withRevisionOf(object, { ...kept, spec: { ...spec, replicas: object.spec.replicas ?? 1 } }) as never,
  )
  return gone
}
