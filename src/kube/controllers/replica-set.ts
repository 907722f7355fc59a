/** The ReplicaSet controller: as many pods as the set asks for, no more and no fewer. */
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import { pods, replicaSets } from '../kinds/index.ts'
import { controllerOf, type Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { defineController, keyOf, splitKey, watching } from './define-controller.ts'
import { keepReplicas } from './workload/keep-replicas.ts'
import { watchingOwned } from './workload/watching-owned.ts'

/** The sets of the same Deployment, this one among them. */
const siblings = (client: Client, set: Stored<ReplicaSet>): readonly Stored<ReplicaSet>[] => {
  const owner = controllerOf(set)
  return owner === undefined ? [set] : client.ownedBy(replicaSets, owner.uid)
}

export const replicaSetController = defineController({
  name: 'replicaset',
  watches: [
    watching(replicaSets, ({ object }) => [keyOf(object)]),
    watchingOwned(pods, replicaSets, (set) => set.spec.selector),
  ],
  reconcile(key, context) {
    const { client } = context
    const { namespace, name } = splitKey(key)
    const set = client.get(replicaSets, namespace, name)
    if (set === undefined) return
    keepReplicas(
      context,
      set,
      {
        selector: set.spec.selector,
        neighbours: () => siblings(client, set).flatMap(({ metadata }) => client.ownedBy(pods, metadata.uid)),
      },
      (status) => client.updateStatus(replicaSets, { ...set, status }),
    )
  },
})
