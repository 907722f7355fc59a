/** The controller of ReplicationControllers, the predecessors of ReplicaSets. */
import { pods, replicationControllers } from '#platform/kube/kinds'
import { defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { watchingOwned } from './ownership/watching-owned.ts'
import { manageReplicas } from './replicas/manage-replicas.ts'

export const replicationController = defineController({
  name: 'replication',
  watches: [
    watching(replicationControllers, ({ object }) => [keyOf(object)]),
    watchingOwned(pods, replicationControllers, ({ spec }) => ({ matchLabels: spec.selector ?? {} })),
  ],
  reconcile(key, context) {
    const { client } = context
    const { namespace, name } = splitKey(key)
    const set = client.get(replicationControllers, namespace, name)
    if (set === undefined) return
    manageReplicas(
      context,
      set,
      {
        selector: { matchLabels: set.spec.selector ?? {} },
        neighbours: () => client.ownedBy(pods, set.metadata.uid),
      },
      (status) => client.updateStatus(replicationControllers, { ...set, status }),
    )
  },
})
