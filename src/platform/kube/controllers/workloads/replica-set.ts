/** The ReplicaSet controller: keeps the number of pods at `spec.replicas`. */
import { isDeepStrictEqual } from 'node:util'
import type { ReplicaSet } from 'kubernetes-types/apps/v1.d.ts'
import { type Kind, limitRanges, pods, replicaSets, resourceQuotas } from '#platform/kube/kinds'
import { controllerOf, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { watchingOwned } from './ownership/watching-owned.ts'
import { manageReplicas } from './replicas/manage-replicas.ts'

/** Returns the ReplicaSets of the same Deployment, including this one. */
const siblings = (client: Client, set: Stored<ReplicaSet>): readonly Stored<ReplicaSet>[] => {
  const owner = controllerOf(set)
  return owner === undefined ? [set] : client.ownedBy(replicaSets, owner.uid)
}

/**
 * Reconciles incomplete ReplicaSets when a policy that may have rejected their pods changes or is deleted. The real
 * controller waits for its next retry, which can be minutes away; whether a correct repair takes effect in time would then
 * depend on how long the policy had existed.
 */
const watchingPolicies = <T>(kind: Kind<T>, limitsOf: (object: Stored<T>) => unknown) =>
  watching(kind, ({ type, object, old }, { client }) => {
    const isSame = old !== undefined && isDeepStrictEqual(limitsOf(object), limitsOf(old))
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
    watchingPolicies(limitRanges, ({ spec }) => spec),
    // Admission enforces `status.hard`, which the quota controller copies from the spec.
    watchingPolicies(resourceQuotas, ({ spec, status }) => [spec, status?.hard]),
  ],
  reconcile(key, context) {
    const { client } = context
    const { namespace, name } = splitKey(key)
    const set = client.get(replicaSets, namespace, name)
    if (set === undefined) return
    manageReplicas(
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
