/** The ReplicaSet controller: as many pods as the set asks for, no more and no fewer. */
import { isDeepStrictEqual } from 'node:util'
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import { type Kind, limitRanges, pods, replicaSets, resourceQuotas } from '../kinds/index.ts'
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

/**
 * When a rule that may have refused pods says something else or goes, the sets around it try again. A real controller waits for
 * its next attempt, which may be minutes away: a right repair would be seen in time or not by how long the rule had been there.
 */
const watchingRules = <T>(kind: Kind<T>, rulesOf: (object: Stored<T>) => unknown) =>
  watching(kind, ({ type, object, old }, { client }) => {
    const isSame = old !== undefined && isDeepStrictEqual(rulesOf(object), rulesOf(old))
    if (type === 'ADDED' || (type === 'MODIFIED' && isSame)) return []
    return client
      .list(replicaSets, object.metadata.namespace)
      .filter(({ spec, status }) => (status?.replicas ?? 0) < (spec.replicas ?? 1))
      .map(keyOf)
  })

export const replicaSetController = defineController({
  name: 'replicaset',
  watches: [
    watching(replicaSets, ({ object }) => [keyOf(object)]),
    watchingOwned(pods, replicaSets, (set) => set.spec.selector),
    watchingRules(limitRanges, ({ spec }) => spec),
    // What is enforced is what the quota's own controller has taken over.
    watchingRules(resourceQuotas, ({ spec, status }) => [spec, status?.hard]),
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
