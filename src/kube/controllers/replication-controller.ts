/** The controller of ReplicationControllers, the ancestors of ReplicaSets. */
import { pods, replicationControllers } from '../kinds/index.ts'
import { defineController, keyOf, splitKey, watching } from './define-controller.ts'
import { keepReplicas } from './workload/keep-replicas.ts'
import { watchingOwned } from './workload/watching-owned.ts'

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
    keepReplicas(
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
