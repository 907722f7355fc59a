/** The StatefulSet controller: creates, replaces and deletes pods with stable names and claims in order. */
import type { StatefulSet, StatefulSetStatus } from 'kubernetes-types/apps/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { pods, statefulSets } from '#platform/kube/kinds'
import { type Stored, toLabelMatcher } from '#platform/kube/meta'
import { type ControllerContext, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { claimOwned } from './ownership/claim-owned.ts'
import { watchingOwned } from './ownership/watching-owned.ts'
import { isPodAvailable, isTerminating, nextAvailability } from './replicas/pod-availability.ts'
import { currentRevision, listRevisions, trimRevisions } from './revisions/revision-history.ts'
import { ordinalOf, replicasOf, revisionNameOf } from './stateful-set/identity.ts'
import { isRunningAndReady, managePods, type RevisionState } from './stateful-set/manage-pods.ts'

const HASH_LABEL = 'controller.kubernetes.io/hash'

const ownedPods = ({ client }: ControllerContext, set: Stored<StatefulSet>): Stored<Pod>[] => {
  const matches = toLabelMatcher(set.spec.selector)
  return claimOwned(
    client,
    pods,
    set,
    (pod) => matches(pod.metadata.labels) && ordinalOf(set, pod) !== undefined,
  ).sort((a, b) => ordinalOf(set, a)! - ordinalOf(set, b)!)
}

const count = (owned: readonly Stored<Pod>[], counts: (pod: Stored<Pod>) => boolean): number =>
  owned.filter(counts).length

const statusOf = (
  { set, current, update }: RevisionState,
  owned: readonly Stored<Pod>[],
  collisionCount: number,
  now: number,
): StatefulSetStatus => {
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const hasRevision = (revision: string) => (pod: Stored<Pod>) =>
    !isTerminating(pod) && revisionNameOf(pod) === revision
  const replicas = owned.length
  const readyReplicas = count(owned, isRunningAndReady)
  const updatedReplicas = count(owned, hasRevision(update.metadata.name))
  const desired = replicasOf(set)
  // Once every pod is updated and ready, the update revision becomes the current one.
  const isComplete =
    set.spec.updateStrategy?.type !== 'OnDelete' &&
    updatedReplicas === desired &&
    readyReplicas === desired &&
    replicas === desired
  const currentReplicas = isComplete ? updatedReplicas : count(owned, hasRevision(current.metadata.name))
  return {
    ...defined({ observedGeneration: set.metadata.generation }),
    replicas,
    ...(readyReplicas === 0 ? {} : { readyReplicas }),
    ...(currentReplicas === 0 ? {} : { currentReplicas }),
    ...(updatedReplicas === 0 ? {} : { updatedReplicas }),
    currentRevision: isComplete ? update.metadata.name : current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    availableReplicas: count(
      owned,
      (pod) => isRunningAndReady(pod) && isPodAvailable(pod, minReadySeconds, now),
    ),
  }
}

export const statefulSetController = defineController({
  name: 'statefulset',
  watches: [
    watching(statefulSets, ({ object }) => [keyOf(object)]),
    watchingOwned(pods, statefulSets, ({ spec }) => spec.selector),
  ],
  reconcile(key, context) {
    const { client, clock } = context
    const { namespace, name } = splitKey(key)
    const set = client.get(statefulSets, namespace, name)
    if (set === undefined) return
    const revisions = listRevisions(client, set)
    const { revision: update, collisions } = currentRevision(client, set, revisions, HASH_LABEL)
    const current = revisions.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? update
    const state: RevisionState = { set, current, update }

    let failure: unknown
    try {
      if (!isTerminating(set)) managePods(context, state, ownedPods(context, set))
    } catch (error) {
      failure = error
    }
    const owned = ownedPods(context, set)
    client.updateStatus(statefulSets, {
      ...set,
      status: statusOf(state, owned, collisions, clock.now()),
    })
    if (failure !== undefined) throw failure

    const liveRevisions = new Set([current.metadata.name, update.metadata.name, ...owned.map(revisionNameOf)])
    trimRevisions(client, set, listRevisions(client, set), ({ metadata }) => liveRevisions.has(metadata.name))
    const waitMs = nextAvailability(owned, set.spec.minReadySeconds ?? 0, clock.now())
    if (waitMs !== undefined) context.requeue(key, waitMs)
  },
})
